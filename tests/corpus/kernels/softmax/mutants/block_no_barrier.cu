// softmax_block without the barrier that keeps the maximum in buffer[0] until all have read it.
extern "C" __global__ void softmax_block(const float *x, float *y) {
    __shared__ float buffer[N];
    int i = threadIdx.x;
    float value = x[i];

    buffer[i] = value;
    __syncthreads();
    for (int half = N / 2; half > 0; half /= 2) {
        if (i < half) buffer[i] = fmaxf(buffer[i], buffer[i + half]);
        __syncthreads();
    }
    float e = expf(value - buffer[0]);
    // missing: __syncthreads();

    buffer[i] = e;
    __syncthreads();
    for (int half = N / 2; half > 0; half /= 2) {
        if (i < half) buffer[i] += buffer[i + half];
        __syncthreads();
    }
    y[i] = e / buffer[0];
}
