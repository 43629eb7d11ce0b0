// A dot product that pairs x[j] with y[j ^ 1]: right only if neighbours are equal.
extern "C" __global__ void dot_crossed(const float *x, const float *y, float *out) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j) sum += x[j] * y[j ^ 1];  // wrong: j ^ 1
    out[0] = sum;
}
