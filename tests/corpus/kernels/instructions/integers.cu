// y[k * n + i]: what the k-th instruction makes of the i-th operands. With ASM the instruction
// itself, without it the same in C.
typedef unsigned long long u64;
typedef long long s64;
#ifdef ASM
#define ONE(text, plain) \
    { \
        unsigned r; \
        asm volatile("{.reg .pred p, q; .reg .b32 t; " text "}" : "=r"(r) : "r"(A), "r"(B), "r"(C)); \
        y[k++ * n + i] = r; \
    }
#else
#define ONE(text, plain) y[k++ * n + i] = (plain);
#endif

__device__ int narrow24(unsigned v) { return (int)(v << 8) >> 8; }
__device__ unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

__device__ unsigned leading_zeros(unsigned v) {
    unsigned count = 0;
    for (int bit = 31; bit >= 0 && !(v >> bit & 1); --bit) ++count;
    return count;
}

__device__ unsigned reversed(unsigned v) {
    unsigned r = 0;
    for (int bit = 0; bit < 32; ++bit) r |= (v >> bit & 1) << (31 - bit);
    return r;
}

__device__ unsigned extended(unsigned v, unsigned bits, bool sign) {
    if (bits == 0) return 0;
    unsigned up = 32 - bits;
    return sign ? (unsigned)((int)(v << up) >> up) : v << up >> up;
}

__device__ unsigned mask(unsigned from, unsigned bits) {
    unsigned r = 0;
    for (unsigned bit = 0; bit < 32; ++bit)
        if (bit >= from && bit - from < bits) r |= 1u << bit;
    return r;
}

__device__ unsigned carry(unsigned a, unsigned b) { return (u64)a + b >> 32; }

__device__ unsigned lanes_with(unsigned v) {
    unsigned r = 0;
    for (int lane = 0; lane < 32; ++lane)
        if (__shfl_sync(0xffffffffu, v, lane) == v) r |= 1u << lane;
    return r;
}

extern "C" __global__ void integers(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *y) {
    int i = threadIdx.x, n = blockDim.x, k = 0;
    unsigned A = a[i], B = b[i], C = c[i];
    ONE("mul24.lo.s32 %0, %1, %2;", (unsigned)((s64)narrow24(A) * narrow24(B)))
    ONE("mul24.hi.u32 %0, %1, %2;", (unsigned)((u64)(A & 0xffffff) * (B & 0xffffff) >> 16))
    ONE("mad24.lo.u32 %0, %1, %2, %3;", (unsigned)((u64)(A & 0xffffff) * (B & 0xffffff)) + C)
    ONE("sad.s32 %0, %1, %2, %3;", C + ((int)A > (int)B ? A - B : B - A))
    ONE("sad.u32 %0, %1, %2, %3;", C + (A > B ? A - B : B - A))
    ONE("rem.s32 %0, %1, %2;", (unsigned)((s64)(int)A % (s64)(int)B))
    ONE("rem.u32 %0, %1, %2;", (unsigned)((u64)A % B))
    ONE("abs.s32 %0, %1;", (int)A < 0 ? 0u - A : A)
    ONE("clz.b32 %0, %1;", leading_zeros(A))
    ONE("bfind.u32 %0, %1;", 31 - leading_zeros(A))
    ONE("bfind.s32 %0, %1;", 31 - leading_zeros((int)A < 0 ? ~A : A))
    ONE("bfind.shiftamt.u32 %0, %1;", A == 0 ? 0xffffffffu : leading_zeros(A))
    ONE("brev.b32 %0, %1;", reversed(A))
    ONE("szext.clamp.s32 %0, %1, %2;", extended(A, least(B, 32), true))
    ONE("szext.wrap.u32 %0, %1, %2;", extended(A, B & 31, false))
    ONE("bmsk.clamp.b32 %0, %1, %2;", mask(least(A, 32), least(B, 32)))
    ONE("bmsk.wrap.b32 %0, %1, %2;", mask(A & 31, B & 31))
    ONE("dp2a.lo.s32.s32 %0, %1, %2, %3;",
        C + (short)A * (signed char)B + (short)(A >> 16) * (signed char)(B >> 8))
    ONE("dp2a.hi.u32.u32 %0, %1, %2, %3;", C + (A & 0xffff) * (B >> 16 & 0xff) + (A >> 16) * (B >> 24))
    ONE("add.cc.u32 t, %1, %2; addc.u32 %0, %2, %3;", B + C + carry(A, B))
    ONE("add.cc.u32 t, %1, %2; addc.cc.u32 t, t, %3; addc.u32 %0, 0, 0;", carry(A + B, C) | carry(A + B + C, carry(A, B)))
    ONE("sub.cc.u32 t, %1, %2; subc.u32 %0, %2, %3;", B - C - (A < B))
    ONE("sub.cc.u32 t, %1, %2; subc.cc.u32 t, %3, %3; subc.u32 %0, 0, 0;", 0u - (A < B))
    ONE("slct.u32.s32 %0, %1, %2, %3;", (int)C >= 0 ? A : B)
    ONE("cnot.b32 %0, %1;", A == 0)
    ONE("lop3.b32 %0, %1, %2, %3, 0x96;", A ^ B ^ C)
    ONE("lop3.b32 %0, %1, %2, %3, 0xe2;", (A & B) | (C & ~B))
    ONE("set.lt.u32.s32 %0, %1, %2;", (int)A < (int)B ? 0xffffffffu : 0)
    ONE("setp.ne.u32 q, %3, 0; setp.lt.and.s32 p, %1, %2, q; selp.u32 %0, 1, 0, p;", C != 0 && (int)A < (int)B)
    ONE("setp.ne.u32 q, %3, 0; setp.hi.xor.u32 p, %1, %2, !q; selp.u32 %0, 1, 0, p;", (A > B) != (C == 0))
    ONE("activemask.b32 %0;", 0xffffffffu)
    ONE("match.any.sync.b32 %0, %3, 0xffffffff;", lanes_with(C))
    ONE("match.all.sync.b32 %0|p, %3, 0xffffffff;", lanes_with(C) == 0xffffffffu ? 0xffffffffu : 0)
}
