// C = A · B, 64 × 8 × 32 of f16, where A has two numbers in each four: a loop that takes them from where they are, and a
// product without the zeros. A from shared memory, or (REGISTERS) from registers. The first of each four are there for even
// rows, the last for odd ones. WRONG 1: the first for all rows.
#include <cuda_fp16.h>
#ifndef WRONG
#define WRONG 0
#endif
#ifndef REGISTERS
#define REGISTERS 0
#endif
#include "warpgroup.h"
using namespace wg;

extern "C" __global__ void ref(const half *a, const half *b, float *c) {
    int row = blockIdx.x, col = threadIdx.x;
    float s = 0.0f;
    for (int k = 0; k < 16; k++) s += __half2float(a[row * 16 + k]) * __half2float(b[(k / 2 * 4 + k % 2 + row % 2 * 2) * 8 + col]);
    c[row * 8 + col] = s;
}

extern "C" __global__ void __launch_bounds__(128) opt(const half *a, const half *b, float *c) {
    __shared__ alignas(128) half as[64 * 16], bs[8 * 32];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    for (int i = t; i < 64 * 16; i += 128) as[i % 16 / 8 * 512 + i / 16 * 8 + i % 8] = a[i];
    for (int i = t; i < 8 * 32; i += 128) bs[i / 64 * 64 + i % 8 * 8 + i / 8 % 8] = b[i];
    fence_proxy();
    __syncthreads();
    u64 of_b = describe(shared(bs), 128, 0, 16);
    // Each of two lanes of four has the metadata of two rows, eight apart, of which both are even or both odd.
    u32 places = lane / 4 % 2 && WRONG != 1 ? 0xeeeeeeee : 0x44444444;
    float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 4; i++) asm volatile("" : "+f"(d[i])::"memory");
    fence();
#if REGISTERS
    u32 ra[4];
    for (int i = 0; i < 4; i++) {
        int row = warp * 16 + lane / 4 + i % 2 * 8;
        ra[i] = *(u32 *)((char *)as + i / 2 * 1024 + row * 16 + lane % 4 * 4);
    }
    for (int i = 0; i < 4; i++) asm volatile("" : "+r"(ra[i])::"memory");
    fence();
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %10, 0; wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, %8, %9, 0, p, 1, 1, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "l"(of_b), "r"(places), "r"(1));
#else
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %7, 0; wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %1, %2, %3}, "
                 "%4, %5, %6, 0, p, 1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(describe(shared(as), 1024, 128, 16)), "l"(of_b), "r"(places), "r"(1));
#endif
    commit();
    wait<0>();
    for (int i = 0; i < 4; i++) c[(warp * 16 + lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
