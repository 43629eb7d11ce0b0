// w[i] = EXPR, an expression over a = x[i], b = y[i] and c = z[i].
extern "C" __global__ void ternary(const float *x, const float *y, const float *z, float *w) {
    int i = threadIdx.x;
    float a = x[i], b = y[i], c = z[i];
    w[i] = EXPR;
}
