// layernorm_one_pass with Bessel's correction: the variance is divided by N - 1.
extern "C" __global__ void layernorm_unbiased(const float *x, const float *gamma,
                                              const float *beta, float *y) {
    __shared__ float row[N];
    int i = threadIdx.x;
    row[i] = x[i];
    __syncthreads();

    float sum = 0.0f, squares = 0.0f;
    for (int j = 0; j < N; ++j) {
        sum += row[j];
        squares += row[j] * row[j];
    }
    float mean = sum / N;
    float variance = (squares - N * mean * mean) / (N - 1);  // wrong: N - 1

    y[i] = (row[i] - mean) * rsqrtf(variance + 1e-5f) * gamma[i] + beta[i];
}
