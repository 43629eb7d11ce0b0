// out[0] = largest of N elements, fmaxf as a tree in shared memory. One block of N threads.
extern "C" __global__ void max_shared(const float *x, float *out) {
    __shared__ float buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    for (unsigned half = N / 2; half > 0; half /= 2) {
        if (i < half) buffer[i] = fmaxf(buffer[i], buffer[i + half]);
        __syncthreads();
    }
    if (i == 0) out[0] = buffer[0];
}
