// Layer normalisation of one row of N elements, two passes: mean, then mean squared deviation.
// One block of N threads.
extern "C" __global__ void layernorm_two_pass(const float *x, const float *gamma,
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
    float variance = squares / N;

    y[i] = (row[i] - mean) / sqrtf(variance + 1e-5f) * gamma[i] + beta[i];
}
