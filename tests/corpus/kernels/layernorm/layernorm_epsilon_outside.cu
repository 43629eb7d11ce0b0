// layernorm_two_pass that adds epsilon to the standard deviation instead of the variance.
extern "C" __global__ void layernorm_epsilon_outside(const float *x, const float *gamma,
                                                     const float *beta, float *y) {
    __shared__ float row[N];
    int i = threadIdx.x;
    row[i] = x[i];
    __syncthreads();

    float sum = 0.0f;
    for (int j = 0; j < N; ++j) sum += row[j];
    float mean = sum / N;

    float squares = 0.0f;
    for (int j = 0; j < N; ++j) squares += (row[j] - mean) * (row[j] - mean);

    y[i] = (row[i] - mean) / (sqrtf(squares / N) + 1e-5f) * gamma[i] + beta[i];  // wrong: + outside
}
