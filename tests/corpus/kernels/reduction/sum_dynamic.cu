// out[0] = sum of n elements, a grid-stride load into dynamic shared memory, then a tree. The
// block size is read at run time.
extern __shared__ float buffer[];

extern "C" __global__ void sum_dynamic(const float *x, float *out, int n) {
    unsigned i = threadIdx.x;
    float sum = 0.0f;
    for (unsigned j = i; j < n; j += blockDim.x) sum += x[j];
    buffer[i] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (i < half) buffer[i] += buffer[i + half];
        __syncthreads();
    }
    if (i == 0) out[0] = buffer[0];
}
