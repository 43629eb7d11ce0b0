// Quotients rounded down, as people write them in C.
// FORM 0: one less where the remainder is negative; 1: as Python's operator is translated, by the signs of both;
// 2: by the sign's mask; 3: what the remainder leaves is a multiple; 4: from below, for negative numbers.
// WRONG: FORM 4 without the last step.
typedef TYPE number;

extern "C" __global__ void floor_quotient(const number *x, number *y)
{
    int i = threadIdx.x;
    number a = x[i];
    const number d = DIVISOR;
#if FORM == 0
    number q = a / d, r = a % d;
    y[i] = r < 0 ? q - 1 : q;
#elif FORM == 1
    number q = a / d, r = a % d;
    y[i] = q - ((r != 0) && ((r < 0) != (d < 0)));
#elif FORM == 2
    number s = a >> (8 * sizeof(number) - 1);
    y[i] = ((a ^ s) / d) ^ s;
#elif FORM == 3
    number r = a % d;
    r += (r >> (8 * sizeof(number) - 1)) & d;
    y[i] = (a - r) / d;
#else
    y[i] = a >= 0 ? a / d : (a + 1) / d - !WRONG;
#endif
}
