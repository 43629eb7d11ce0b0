// sum_per_block in which every block stores its sum in out[0], without an atomic.
extern "C" __global__ void sum_per_block(const float *x, float *out) {
    __shared__ float buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[blockIdx.x * N + i];
    __syncthreads();
    for (unsigned half = N / 2; half > 0; half /= 2) {
        if (i < half) buffer[i] += buffer[i + half];
        __syncthreads();
    }
    if (i == 0) out[0] = buffer[0];  // wrong: out[blockIdx.x]
}
