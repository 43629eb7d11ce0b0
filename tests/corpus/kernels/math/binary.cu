// z[i] = EXPR, an expression over a = x[i] and b = y[i].
extern "C" __global__ void binary(const float *x, const float *y, float *z) {
    int i = threadIdx.x;
    float a = x[i], b = y[i];
    z[i] = EXPR;
}
