// Words of 16 bits shifted by an amount of 32 bits, which counts whole: left, right, and right with the sign. FORM 0:
// as the instructions do it; 1: in 32 bits, with the amount limited. WRONG: by the low half of the amount.
extern "C" __global__ void narrow_shift(const unsigned short *a, const unsigned *b, unsigned *y)
{
    const unsigned short word = a[threadIdx.x];
    const unsigned amount = b[threadIdx.x];
    unsigned *out = y + 3 * threadIdx.x;
#if FORM == 0
    unsigned short left, right, with_sign;
    asm("shl.b16 %0, %1, %2;" : "=h"(left) : "h"(word), "r"(amount));
    asm("shr.u16 %0, %1, %2;" : "=h"(right) : "h"(word), "r"(amount));
    asm("shr.s16 %0, %1, %2;" : "=h"(with_sign) : "h"(word), "r"(amount));
    out[0] = left;
    out[1] = right;
    out[2] = with_sign;
#else
    const unsigned by = WRONG ? amount & 0xffff : amount;
    const unsigned most = by < 16 ? by : 16;
    out[0] = (unsigned)word << most & 0xffff;
    out[1] = (unsigned)word >> most;
    out[2] = (unsigned)((int)(short)word >> most) & 0xffff;
#endif
}
