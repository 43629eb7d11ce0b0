// y[i] = EXPR, an expression over v = x[i]: one library function or one identity per build.
extern "C" __global__ void unary(const float *x, float *y) {
    int i = threadIdx.x;
    float v = x[i];
    y[i] = EXPR;
}
