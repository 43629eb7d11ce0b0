// The unrolled last warp of Harris's reduction: relies on the lanes of a warp stepping together,
// which no GPU since Volta promises; volatile does not order the lanes. One block of N threads.
__device__ void warp_reduce(volatile float *buffer, unsigned i) {
    buffer[i] += buffer[i + 32];
    buffer[i] += buffer[i + 16];
    buffer[i] += buffer[i + 8];
    buffer[i] += buffer[i + 4];
    buffer[i] += buffer[i + 2];
    buffer[i] += buffer[i + 1];
}

extern "C" __global__ void sum_warp_synchronous(const float *x, float *out) {
    __shared__ float buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    for (unsigned half = N / 2; half > 32; half /= 2) {
        if (i < half) buffer[i] += buffer[i + half];
        __syncthreads();
    }
    if (i < 32) warp_reduce(buffer, i);
    if (i == 0) out[0] = buffer[0];
}
