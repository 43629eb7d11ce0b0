// C = A · B of every type that a warpgroup multiplies, 64 × 8 × one step: A from shared memory or (REGISTERS) from
// registers; core matrices without swizzle. KIND 1: bf16. 2: tf32. 3: e4m3 times e5m2. 4: s8 times u8, with saturation.
// 5: bits. 6: f16 with sums of f16. 7: f16, -A · B. WRONG 1: the other half of the depth first.
// 2: the registers of A of the other rows. 3: the sign of B forgotten. 4: as 1, but by a leading offset of -128 modulo
// 2^18, which comes round for nobody.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef WRONG
#define WRONG 0
#endif
#ifndef REGISTERS
#define REGISTERS 0
#endif
#include "warpgroup.h"
using namespace wg;
#if KIND == 1
typedef __nv_bfloat16 type;
typedef float sum;
#define NAME "m64n8k16.f32.bf16.bf16"
#elif KIND == 2
typedef float type;
typedef float sum;
#define NAME "m64n8k8.f32.tf32.tf32"
#elif KIND == 3
typedef unsigned char type;
typedef float sum;
#define NAME "m64n8k32.f32.e4m3.e5m2"
#elif KIND == 4
typedef unsigned char type;
typedef int sum;
#define NAME "m64n8k32.satfinite.s32.s8.u8"
#elif KIND == 5
typedef unsigned char type;
typedef int sum;
#define NAME "m64n8k256.s32.b1.b1.and.popc"
#else
typedef half type;
typedef float sum;
#if KIND == 6
#define NAME "m64n8k16.f16.f16.f16"
#else
#define NAME "m64n8k16.f32.f16.f16"
#endif
#endif
// Elements in 16 bytes (of bits: bytes), and in the depth.
constexpr int LINE = 16 / sizeof(type), K = 2 * LINE;

#if KIND == 3
__device__ inline float wide(unsigned char x, bool wide_range) {
    unsigned short low;
    if (wide_range) asm("{ .reg .b32 r; .reg .b16 h; cvt.rn.f16x2.e5m2x2 r, %1; mov.b32 {%0, h}, r; }" : "=h"(low) : "h"((unsigned short)x));
    else asm("{ .reg .b32 r; .reg .b16 h; cvt.rn.f16x2.e4m3x2 r, %1; mov.b32 {%0, h}, r; }" : "=h"(low) : "h"((unsigned short)x));
    return __half2float(__ushort_as_half(low));
}
#endif

extern "C" __global__ void ref(const type *a, const type *b, sum *c) {
    int row = blockIdx.x, col = threadIdx.x;
    sum s = 0;
    for (int k = 0; k < K; k++) {
        type x = a[row * K + k], y = b[k * 8 + col];
#if KIND == 1
        s += __bfloat162float(x) * __bfloat162float(y);
#elif KIND == 2
        s += x * y;
#elif KIND == 3
        s += wide(x, false) * wide(y, true);
#elif KIND == 4
        s += (int)(signed char)x * (int)y;
#elif KIND == 5
        s += __popc(x & y);
#else
        s += __half2float(x) * __half2float(y);
#endif
    }
    c[row * 8 + col] = KIND == 7 ? -s : s;
}

extern "C" __global__ void __launch_bounds__(128) opt(const type *a, const type *b, sum *c) {
    __shared__ alignas(128) type as[64 * K], bs[8 * K];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    for (int i = t; i < 64 * K; i += 128) as[i % K / LINE * 64 * LINE + i / K * LINE + i % LINE] = a[i];
    for (int i = t; i < 8 * K; i += 128) bs[(WRONG == 1 ? 1 - i / 8 / LINE : i / 8 / LINE) * 8 * LINE + i % 8 * LINE + i / 8 % LINE] = b[i];
    fence_proxy();
    __syncthreads();
    u64 of_a = describe(shared(as), 1024, 128, 16);
    u64 of_b = describe(shared(bs) + (WRONG == 4 ? 128 : 0), WRONG == 4 ? 0x40000 - 128 : 128, 0, 16);
#if REGISTERS
    u32 ra[4];
    for (int i = 0; i < 4; i++) {
        int row = warp * 16 + lane / 4 + (WRONG == 2 ? 1 - i % 2 : i % 2) * 8;
        ra[i] = *(u32 *)((char *)as + i / 2 * 1024 + row * 16 + lane % 4 * 4);
    }
#endif
#define SIGN (KIND == 7 && WRONG != 3 ? -1 : 1)
#if KIND == 6 || KIND == 7 || KIND == 1
#define TAIL_A ", 1, %7, 0, 0; }"
#define TAIL_R ", 1, %10, 0; }"
#elif KIND == 4 || KIND == 5
#define TAIL_A "; }"
#define TAIL_R "; }"
#else
#define TAIL_A ", 1, %7; }"
#define TAIL_R ", 1, %10; }"
#endif
    sum d[4];
    fence();
#if KIND == 6
    u32 h0 = 0, h1 = 0;
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0; wgmma.mma_async.sync.aligned." NAME " {%0, %1}, %2, %3, p, 1, 1, 0, 0; }"
                 : "+r"(h0), "+r"(h1) : "l"(of_a), "l"(of_b), "r"(0));
#elif KIND == 4 || KIND == 5
    for (int i = 0; i < 4; i++) d[i] = 0;
    fence();
#if REGISTERS
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %9, 0; wgmma.mma_async.sync.aligned." NAME " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p" TAIL_R
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "l"(of_b), "r"(1));
#else
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned." NAME " {%0, %1, %2, %3}, %4, %5, p" TAIL_A
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(of_a), "l"(of_b), "r"(1));
#endif
#else
    for (int i = 0; i < 4; i++) d[i] = 0;
    fence();
#if REGISTERS
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %9, 0; wgmma.mma_async.sync.aligned." NAME " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p" TAIL_R
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "l"(of_b), "r"(1), "n"(SIGN));
#else
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned." NAME " {%0, %1, %2, %3}, %4, %5, p" TAIL_A
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(of_a), "l"(of_b), "r"(1), "n"(SIGN));
#endif
#endif
    commit();
    wait<0>();
#if KIND == 6
    d[0] = __half2float(__ushort_as_half(h0 & 0xffff)), d[1] = __half2float(__ushort_as_half(h0 >> 16));
    d[2] = __half2float(__ushort_as_half(h1 & 0xffff)), d[3] = __half2float(__ushort_as_half(h1 >> 16));
#endif
    for (int i = 0; i < 4; i++) c[(warp * 16 + lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
