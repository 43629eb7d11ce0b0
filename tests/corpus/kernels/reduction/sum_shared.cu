// out[0] = sum of N elements as a tree in shared memory with sequential addressing. One block of
// N threads, N a power of two.
extern "C" __global__ void sum_shared(const TYPE *x, TYPE *out) {
    __shared__ TYPE buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    for (unsigned half = N / 2; half > 0; half /= 2) {
        if (i < half) buffer[i] += buffer[i + half];
        __syncthreads();
    }
    if (i == 0) out[0] = buffer[0];
}
