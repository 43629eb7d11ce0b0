// scan_double_buffer that stops one round early: the second half misses the first elements.
extern "C" __global__ void scan_double_buffer(const float *x, float *out) {
    __shared__ float buffer[2][N];
    int i = threadIdx.x, from = 0;
    buffer[0][i] = x[i];
    __syncthreads();
    for (int offset = 1; offset < N / 2; offset *= 2) {  // wrong: N / 2
        float value = buffer[from][i];
        if (i >= offset) value += buffer[from][i - offset];
        buffer[1 - from][i] = value;
        from = 1 - from;
        __syncthreads();
    }
    out[i] = buffer[from][i];
}
