// out[0] = dot product of N elements, pairwise summation as a tree in shared memory. One block of
// N threads, N a power of two.
extern "C" __global__ void dot_pairwise(const float *x, const float *y, float *out) {
    __shared__ float buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[i] * y[i];
    __syncthreads();
    for (unsigned half = N / 2; half > 0; half /= 2) {
        if (i < half) buffer[i] += buffer[i + half];
        __syncthreads();
    }
    if (i == 0) out[0] = buffer[0];
}
