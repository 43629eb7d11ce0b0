// y[k * n + i]: what the k-th instruction on bytes and halfwords makes of the i-th operands. With ASM the
// instruction itself, without it the manual's definition in C.
typedef unsigned long long u64;
typedef long long s64;
#ifdef ASM
#define ONE(text, plain) \
    { \
        unsigned r; \
        asm volatile(text : "=r"(r) : "r"(A), "r"(B), "r"(C)); \
        y[k++ * n + i] = r; \
    }
#else
#define ONE(text, plain) y[k++ * n + i] = (unsigned)(plain);
#endif

enum { ADD, SUB, DISTANCE, MIN, MAX, AVERAGE, LESS };

__device__ s64 clamped(s64 v, s64 least, s64 most) { return v < least ? least : v > most ? most : v; }

__device__ s64 combined(int op, s64 a, s64 b) {
    switch (op) {
        case ADD: return a + b;
        case SUB: return a - b;
        case DISTANCE: return a < b ? b - a : a - b;
        case MIN: return a < b ? a : b;
        case MAX: return a < b ? b : a;
        case AVERAGE: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
        default: return a < b;
    }
}

// Part `at` of the two words together.
__device__ s64 field(unsigned a, unsigned b, int at, int bits, bool sign) {
    unsigned word = at * bits < 32 ? a : b;
    unsigned part = word >> at * bits % 32 << (32 - bits);
    return sign ? (s64)((int)part >> (32 - bits)) : (s64)(part >> (32 - bits));
}

// `bits` a part; `of_a`, `of_b`: which parts, a hexadecimal digit each; `mask`: a bit for each part written.
__device__ unsigned parallel(int op, unsigned a, unsigned b, unsigned c, int bits, unsigned of_a, unsigned of_b,
                             unsigned mask, bool sign_a, bool sign_b, int saturate, bool sum) {
    unsigned merged = 0, total = c;
    for (int at = 0; at < 32 / bits; ++at) {
        unsigned ones = (1u << bits) - 1 << at * bits;
        if (!(mask >> at & 1)) {
            merged |= c & ones;
            continue;
        }
        s64 v = combined(op, field(a, b, of_a >> 4 * at & 15, bits, sign_a), field(a, b, of_b >> 4 * at & 15, bits, sign_b));
        if (saturate == 1) v = clamped(v, 0, (1 << bits) - 1);
        if (saturate == 2) v = clamped(v, -(1 << bits - 1), (1 << bits - 1) - 1);
        total += (unsigned)v;
        merged |= (unsigned)v << at * bits & ones;
    }
    return sum ? total : merged;
}

__device__ unsigned packed(unsigned a, unsigned b, int bits, s64 least, s64 most) {
    unsigned ones = (1u << bits) - 1;
    return ((unsigned)clamped((int)a, least, most) & ones) << bits | ((unsigned)clamped((int)b, least, most) & ones);
}

// The second set bit from a place on.
__device__ unsigned nth(unsigned mask, unsigned from) {
    unsigned seen = 0;
    for (unsigned at = from; at < 32; ++at)
        if (mask >> at & 1 && ++seen == 2) return at;
    return 0xffffffffu;
}

extern "C" __global__ void parts(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *y) {
    int i = threadIdx.x, n = blockDim.x, k = 0;
    unsigned A = a[i], B = b[i], C = c[i];
    ONE("vadd.s32.u32.s32 %0, %1.b1, %2.h1;", (int)(A >> 8 & 0xff) + (int)(short)(B >> 16))
    ONE("vadd.s32.s32.s32.sat.min %0, %1, %2, %3;", combined(MIN, clamped((s64)(int)A + (int)B, -0x80000000ll, 0x7fffffffll), (int)C))
    ONE("vsub.s32.s32.s32.sat %0, %1, %2;", clamped((s64)(int)A - (int)B, -0x80000000ll, 0x7fffffffll))
    ONE("vsub.u32.u32.s32 %0.h0, %1.h0, %2.b2, %3;", ((A & 0xffff) - (signed char)(B >> 16) & 0xffff) | (C & 0xffff0000))
    ONE("vabsdiff.u32.u32.u32.add %0, %1.b0, %2.b3, %3;", combined(DISTANCE, A & 0xff, B >> 24) + C)
    ONE("vmin.s32.s32.s32.max %0, %1.h0, %2.h1, %3;", combined(MAX, combined(MIN, (short)A, (short)(B >> 16)), (int)C))
    ONE("vmax.u32.u32.u32 %0.b2, %1.b0, %2.b1, %3;", (unsigned)combined(MAX, A & 0xff, B >> 8 & 0xff) << 16 | (C & 0xff00ffff))
    ONE("vshl.u32.u32.u32.clamp %0, %1, %2.b0;", (B & 0xff) > 31 ? 0 : A << (B & 0xff))
    ONE("vshr.s32.s32.u32.wrap.add %0, %1.h1, %2, %3;", ((short)(A >> 16) >> (B & 31)) + (int)C)
    ONE("vset.s32.u32.lt.add %0, %1, %2.b1, %3;", ((s64)(int)A < (s64)(B >> 8 & 0xff)) + C)
    ONE("vadd2.s32.s32.u32.sat %0, %1, %2, %3;", parallel(ADD, A, B, C, 16, 0x10, 0x32, 0x3, true, false, 2, false))
    ONE("vsub2.u32.u32.u32.sat %0, %1, %2, %3;", parallel(SUB, A, B, C, 16, 0x10, 0x32, 0x3, false, false, 1, false))
    ONE("vabsdiff2.u32.u32.u32.add %0, %1, %2, %3;", parallel(DISTANCE, A, B, C, 16, 0x10, 0x32, 0x3, false, false, 0, true))
    ONE("vmin2.s32.u32.s32.add %0, %1, %2, %3;", parallel(MIN, A, B, C, 16, 0x10, 0x32, 0x3, false, true, 0, true))
    ONE("vmax2.s32.s32.s32 %0, %1, %2, %3;", parallel(MAX, A, B, C, 16, 0x10, 0x32, 0x3, true, true, 0, false))
    ONE("vavrg2.s32.s32.u32 %0, %1, %2, %3;", parallel(AVERAGE, A, B, C, 16, 0x10, 0x32, 0x3, true, false, 0, false))
    ONE("vavrg2.u32.s32.s32.sat %0, %1, %2, %3;", parallel(AVERAGE, A, B, C, 16, 0x10, 0x32, 0x3, true, true, 1, false))
    ONE("vsub2.s32.s32.s32 %0.h1, %1.h30, %2.h12, %3;", parallel(SUB, A, B, C, 16, 0x30, 0x12, 2, true, true, 0, false))
    ONE("vset2.s32.u32.lt %0, %1, %2, %3;", parallel(LESS, A, B, C, 16, 0x10, 0x32, 3, true, false, 0, false))
    ONE("vadd4.s32.s32.u32.sat %0, %1, %2, %3;", parallel(ADD, A, B, C, 8, 0x3210, 0x7654, 0xf, true, false, 2, false))
    ONE("vsub4.u32.u32.u32.sat %0, %1, %2, %3;", parallel(SUB, A, B, C, 8, 0x3210, 0x7654, 0xf, false, false, 1, false))
    ONE("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", parallel(DISTANCE, A, B, C, 8, 0x3210, 0x7654, 0xf, false, false, 0, true))
    ONE("vmin4.s32.u32.s32.add %0, %1, %2, %3;", parallel(MIN, A, B, C, 8, 0x3210, 0x7654, 0xf, false, true, 0, true))
    ONE("vmax4.s32.s32.s32 %0, %1, %2, %3;", parallel(MAX, A, B, C, 8, 0x3210, 0x7654, 0xf, true, true, 0, false))
    ONE("vavrg4.s32.s32.u32 %0, %1, %2, %3;", parallel(AVERAGE, A, B, C, 8, 0x3210, 0x7654, 0xf, true, false, 0, false))
    ONE("vavrg4.u32.s32.s32.sat %0, %1, %2, %3;", parallel(AVERAGE, A, B, C, 8, 0x3210, 0x7654, 0xf, true, true, 1, false))
    ONE("vadd4.u32.u32.u32.sat %0.b31, %1.b7531, %2.b0246, %3;", parallel(ADD, A, B, C, 8, 0x7531, 0x0246, 10, false, false, 1, false))
    ONE("vset4.u32.u32.lt.add %0, %1, %2, %3;", parallel(LESS, A, B, C, 8, 0x3210, 0x7654, 15, false, false, 0, true))
    ONE("add.u16x2 %0, %1, %2;", parallel(ADD, A, B, 0, 16, 0x10, 0x32, 3, false, false, 0, false))
    ONE("min.s16x2 %0, %1, %2;", parallel(MIN, A, B, 0, 16, 0x10, 0x32, 3, true, true, 0, false))
    ONE("max.relu.s16x2 %0, %1, %2;", parallel(MAX, parallel(MAX, A, B, 0, 16, 0x10, 0x32, 3, true, true, 0, false), 0, 0, 16, 0x10, 0x32, 3, true, true, 0, false))
    ONE("max.u16x2 %0, %1, %2;", parallel(MAX, A, B, 0, 16, 0x10, 0x32, 3, false, false, 0, false))
    ONE("cvt.pack.sat.s16.s32 %0, %1, %2;", packed(A, B, 16, -32768, 32767))
    ONE("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;", C << 16 | packed(A, B, 8, 0, 255))
    ONE("cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;", C << 8 | packed(A, B, 4, -8, 7))
    ONE("cvt.pack.sat.u2.s32.b32 %0, %1, %2, %3;", C << 4 | packed(A, B, 2, 0, 3))
    ONE("{.reg .pred p, q; .reg .b32 t; setp.lt.u32 q, %1, %3; lop3.and.b32 t|p, %1, %2, %3, 0x1a, q; selp.b32 %0, t, 7, p;}", (((A & B | C) ^ A) != 0 && A < C) ? ((A & B | C) ^ A) : 7)
    ONE("{.reg .pred p, q; setp.lt.u32 q, %1, %3; lop3.or.b32 _|p, %1, %2, %3, 0x80, !q; selp.b32 %0, 1, 0, p;}", (A & B & C) != 0 || !(A < C))
    ONE("{.reg .b32 t; and.b32 t, %2, 31; fns.b32 %0, %1, t, 2;}", nth(A, B & 31))
}
