// Inclusive prefix sum by Hillis and Steele in one buffer: a barrier after reading and another
// after writing. One block of N threads.
extern "C" __global__ void scan_in_place(const float *x, float *out) {
    __shared__ float buffer[N];
    int i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    for (int offset = 1; offset < N; offset *= 2) {
        float value = buffer[i];
        if (i >= offset) value += buffer[i - offset];
        __syncthreads();
        buffer[i] = value;
        __syncthreads();
    }
    out[i] = buffer[i];
}
