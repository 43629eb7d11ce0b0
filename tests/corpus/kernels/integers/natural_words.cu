// What programmers do with integers of every width, the plain way and (CLEVER) the way they write it for
// speed. Twelve results for each of N elements, each as 64 bits; MUTANT numbers mistakes of the clever way.
// One block of N threads.
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void natural_words(const u8 *a, const s8 *b, const u16 *c, const s16 *d, const u32 *e,
                                         const int *f, const u64 *g, const long long *h, u64 *out)
{
    int t = threadIdx.x;
    u8 a0 = a[t], a1 = a[t + 1];
    s8 b0 = b[t];
    u16 c0 = c[t];
    s16 d0 = d[t];
    u32 e0 = e[t];
    int f0 = f[t];
    u64 g0 = g[t], g1 = g[t + 1];
    long long h0 = h[t];
    u64 *o = out + 12 * t;
#ifndef CLEVER
    o[0] = (u8)((a0 + a1) >> 1);                        // an average
    o[1] = (u64)(long long)(s8)a0;                      // a sign put on
    o[2] = (u64)(b0 < 0 ? -b0 : b0);                    // an absolute value
    o[3] = (u16)(c0 << 8 | c0 >> 8);                    // bytes swapped
    o[4] = (u64)(long long)(d0 > 127 ? 127 : d0 < -128 ? -128 : d0); // saturation
    o[5] = (u64)__popc(e0);
    o[6] = e0 / 7;
    o[7] = e0 % 7 == 0;
    o[8] = (u64)(long long)(f0 / 3);
    o[9] = g0 / 10;
    o[10] = g0 + g1;
    o[11] = (u64)(h0 / 8);
#else
    o[0] = (u8)((a0 & a1) + ((a0 ^ a1) >> 1));
#if MUTANT == 1
    o[1] = (u64)(long long)((a0 ^ 0x80) - 0x7f);        // wrong: 0x80
#else
    o[1] = (u64)(long long)((a0 ^ 0x80) - 0x80);
#endif
    int sign = b0 >> 7;
    o[2] = (u64)((b0 ^ sign) - sign);
    o[3] = __byte_perm(c0, 0, 0x4401);
#if MUTANT == 2
    o[4] = (u64)(long long)(s8)d0;                      // wrong: cut, not clamped
#else
    int low = min((int)d0, 127);
    o[4] = (u64)(long long)max(low, -128);
#endif
    u32 v = e0 - ((e0 >> 1) & 0x55555555u);
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0fu;
    o[5] = v * 0x01010101u >> 24;
#if MUTANT == 3
    u32 q = __umulhi(e0, 0x24924924u);                  // wrong: one too small
#else
    u32 q = __umulhi(e0, 0x24924925u);
#endif
    o[6] = (((e0 - q) >> 1) + q) >> 2;
#if MUTANT == 4
    o[7] = e0 * 0xb6db6db7u < 0x24924924u;              // wrong: <=
#else
    o[7] = e0 * 0xb6db6db7u <= 0x24924924u;
#endif
#if MUTANT == 5
    o[8] = (u64)(long long)(__mulhi(f0, 0x55555556) + (f0 >> 31)); // wrong: the sign is taken away
#else
    o[8] = (u64)(long long)(__mulhi(f0, 0x55555556) - (f0 >> 31));
#endif
#if MUTANT == 6
    o[9] = __umul64hi(g0, 0xcccccccccccccccdull) >> 4;  // wrong: 3
#else
    o[9] = __umul64hi(g0, 0xcccccccccccccccdull) >> 3;
#endif
    u32 lower, upper;
#if MUTANT == 7
    asm("add.u32 %0, %2, %4; add.u32 %1, %3, %5;"       // wrong: the carry is lost
#else
    asm("add.cc.u32 %0, %2, %4; addc.u32 %1, %3, %5;"
#endif
        : "=r"(lower), "=r"(upper)
        : "r"((u32)g0), "r"((u32)(g0 >> 32)), "r"((u32)g1), "r"((u32)(g1 >> 32)));
    o[10] = (u64)upper << 32 | lower;
#if MUTANT == 8
    o[11] = (u64)(h0 >> 3);                             // wrong: towards minus infinity
#else
    o[11] = (u64)((h0 + ((h0 >> 63) & 7)) >> 3);
#endif
#endif
}
