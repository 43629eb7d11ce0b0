// z[i] = EXPR, an expression over a = x[i] and b = y[i].
extern "C" __global__ void binary(const double *x, const double *y, double *z) {
    int i = threadIdx.x;
    double a = x[i], b = y[i];
    z[i] = EXPR;
}
