// y[i] = EXPR, of the word b of the float x[i]: the upper half of it, rounded, which is the word of a bf16.
extern "C" __global__ void rounded(const float *x, unsigned short *y) {
    int i = threadIdx.x;
    unsigned b = __float_as_uint(x[i]);
    y[i] = (unsigned short)((EXPR) >> 16);
}
