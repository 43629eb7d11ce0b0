// sum_shared in which every thread stores the same total in out[0]: conflicting writes, even
// though they agree.
extern "C" __global__ void sum_shared(const float *x, float *out) {
    __shared__ float buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    for (unsigned half = N / 2; half > 0; half /= 2) {
        if (i < half) buffer[i] += buffer[i + half];
        __syncthreads();
    }
    out[0] = buffer[0];  // wrong: by all threads
}
