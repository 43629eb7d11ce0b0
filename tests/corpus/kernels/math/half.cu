// y[i] = EXPR, an expression over v = x[i] in half precision (T is __half or __nv_bfloat16): one library function per build.
#include HEADER
extern "C" __global__ void unary(const T *x, T *y) {
    int i = threadIdx.x;
    T v = x[i];
    y[i] = EXPR;
}
