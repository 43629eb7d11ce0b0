// C = A · B of every type that products in tensor memory have, 128 × 16 × one step: core matrices without swizzle, or
// (HELD) A in tensor memory. KIND 1: bf16. 2: tf32. 3: e4m3 times e5m2. 4: s8 times u8. 5: f16 with sums of f16.
// 6: f16, -A · B. 7: f16, D + A · B / 4. 8: f16, the lanes of two warps stay as they are.
// WRONG 1: the halves of the depth change places. 2: the stores of A are not waited for. 3: A said to be of other bytes.
// 4: the warps do not synchronize behind their stores. 5: a sum of f16 read as a whole column.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#ifndef WRONG
#define WRONG 0
#endif
#ifndef HELD
#define HELD 0
#endif
#include "../bulk/bulk.h"
#include "tcgen05.h"
using namespace tm;
#if KIND == 1
typedef __nv_bfloat16 type;
#elif KIND == 2
typedef float type;
#elif KIND == 3 || KIND == 4
typedef unsigned char type;
#else
typedef half type;
#endif
#if KIND == 4
typedef int sum;
#else
typedef float sum;
#endif
constexpr int LINE = 16 / sizeof(type), K = 2 * LINE, N = 16;

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
        type x = a[row * K + k], y = b[k * N + col];
#if KIND == 1
        s += __bfloat162float(x) * __bfloat162float(y);
#elif KIND == 2
        s += x * y;
#elif KIND == 3
        s += wide(x, false) * wide(y, true);
#elif KIND == 4
        s += (int)(signed char)x * (int)y;
#else
        s += __half2float(x) * __half2float(y);
#endif
    }
    if (KIND == 6) s = -s;
    if (KIND == 7) s = s + s / 4;
    if (KIND == 8 && row / 64 == 0) s = s + s;
    c[row * N + col] = s;
}

__device__ inline void multiply(u32 d, u64 a, u32 held, u64 b, int adds) {
    constexpr u32 what = KIND == 1 ? shape(1, 1, 1, 128, N)
                         : KIND == 2 ? shape(1, 2, 2, 128, N)
                         : KIND == 3 ? shape(1, 0, 1, 128, N)
                         : KIND == 4 ? shape(2, WRONG == 3 ? 0 : 1, 0, 128, N)
                                     : shape(KIND == 5 ? 0 : 1, 0, 0, 128, N) | (KIND == 6 ? 1 << 13 : 0);
#if KIND == 2
    if (HELD) multiply_tf32_held(d, held, b, what, adds); else multiply_tf32(d, a, b, what, adds);
#elif KIND == 3
    if (HELD) multiply_f8_held(d, held, b, what, adds); else multiply_f8(d, a, b, what, adds);
#elif KIND == 4
    if (HELD) multiply_i8_held(d, held, b, what, adds); else multiply_i8(d, a, b, what, adds);
#elif KIND == 7
    if (adds)
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p, 2; }" ::"r"(d), "l"(a), "l"(b), "r"(what), "r"(adds) : "memory");
    else multiply_f16(d, a, b, what, 0);
#elif KIND == 8
    if (adds)
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, {%5, %5, %6, %6}, p; }" ::"r"(d), "l"(a), "l"(b), "r"(what), "r"(adds), "r"(0), "r"(-1) : "memory");
    else multiply_f16(d, a, b, what, 0);
#else
    if (HELD) multiply_f16_held(d, held, b, what, adds); else multiply_f16(d, a, b, what, adds);
#endif
}

extern "C" __global__ void __launch_bounds__(128) opt(const type *a, const type *b, sum *c) {
    __shared__ alignas(128) type as[128 * K], bs[K * N];
    __shared__ u64 done;
    __shared__ u32 slot;
    int t = threadIdx.x, warp = t / 32;
    if (warp == 0) take(&slot, 32);
    if (t == 0) {
        init(&done, 1);
        init_done();
    }
    // Two panels of sixteen bytes of the depth.
    if (!HELD) for (int i = t; i < 128 * K; i += 128) as[(WRONG == 1 ? 1 - i % K / LINE : i % K / LINE) * 128 * LINE + i / K * LINE + i % LINE] = a[i];
    for (int i = t; i < K * N; i += 128) bs[i / N / LINE * N * LINE + i % N * LINE + i / N % LINE] = b[i];
    fence_proxy();
    __syncthreads();
    u32 d = slot, lanes = warp * 32 << 16;
    if (HELD) {
        const u32 *words = (const u32 *)(a + t * K);
        asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%8], {%0,%1,%2,%3,%4,%5,%6,%7};" ::"r"(words[0]), "r"(words[1]),
                     "r"(words[2]), "r"(words[3]), "r"(words[4]), "r"(words[5]), "r"(words[6]), "r"(words[7]), "r"(d + 16 + lanes) : "memory");
        if (WRONG != 2) wait_stores();
        before();
        if (WRONG != 4) __syncthreads();
        after();
    }
    if (t == 0) {
        u64 of_a = describe(shared(as), 128 * 16, 128, 16);
        u64 of_b = describe(shared(bs), N * 16, 128, 16);
        multiply(d, of_a, d + 16, of_b, 0);
        if (KIND == 7 || KIND == 8) multiply(d, of_a, d + 16, of_b, 1);
        commit(&done);
    }
    wait(&done, 0);
    after();
    u32 r[16];
    for (int i = 0; i < N; i += 4)
#if KIND == 5 && WRONG != 5
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%0,%1}, [%2];" : "=r"(r[i / 2]), "=r"(r[i / 2 + 1]) : "r"(d + lanes + i) : "memory");
#else
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0,%1,%2,%3}, [%4];" : R4(r, i) : "r"(d + lanes + i) : "memory");
#endif
    wait_loads();
    for (int i = 0; i < N; i++)
#if KIND == 5 && WRONG != 5
        c[t * N + i] = __half2float(__ushort_as_half((unsigned short)(r[i / 2] >> i % 2 * 16)));
#else
        c[t * N + i] = *(sum *)&r[i];
#endif
    __syncthreads();
    if (warp == 0) give(d, 32);
}
