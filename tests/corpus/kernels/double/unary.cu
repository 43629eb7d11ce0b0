// y[i] = EXPR, an expression over v = x[i]: one library function in double precision per build.
extern "C" __global__ void unary(const double *x, double *y) {
    int i = threadIdx.x;
    double v = x[i];
    y[i] = EXPR;
}
