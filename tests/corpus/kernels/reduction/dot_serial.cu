// out[0] = dot product of N elements, one thread, fused multiply-adds left to right.
extern "C" __global__ void dot_serial(const float *x, const float *y, float *out) {
    float sum = 0.0f;
    for (int j = 0; j < N; ++j) sum += x[j] * y[j];
    out[0] = sum;
}
