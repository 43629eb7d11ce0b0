// Quotients and remainders of 32 signed integers by DIVISOR: FORM 0 by a constant, which the compiler multiplies by,
// FORM 1 by a parameter. WRONG: the quotient is rounded down and not towards zero.
extern "C" __global__ void quotient(const int *x, int *y, int *rest, int n)
{
    int i = threadIdx.x;
#if FORM == 0
    const int d = DIVISOR;
#else
    int d = n;
#endif
    int q = x[i] / d, r = x[i] % d;
#if WRONG
    if (r < 0)
        q--;
#endif
    y[i] = q;
    rest[i] = r;
}
