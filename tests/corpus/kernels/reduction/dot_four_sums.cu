// out[0] = dot product of N elements, one thread with four independent partial sums. N is a
// multiple of four.
extern "C" __global__ void dot_four_sums(const float *x, const float *y, float *out) {
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    for (int j = 0; j < N; j += 4) {
        a += x[j] * y[j];
        b += x[j + 1] * y[j + 1];
        c += x[j + 2] * y[j + 2];
        d += x[j + 3] * y[j + 3];
    }
    out[0] = (a + b) + (c + d);
}
