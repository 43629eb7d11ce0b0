// out[b] = sum of the N elements of block b, a tree in shared memory.
extern "C" __global__ void sum_per_block(const float *x, float *out) {
    __shared__ float buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[blockIdx.x * N + i];
    __syncthreads();
    for (unsigned half = N / 2; half > 0; half /= 2) {
        if (i < half) buffer[i] += buffer[i + half];
        __syncthreads();
    }
    if (i == 0) out[blockIdx.x] = buffer[0];
}
