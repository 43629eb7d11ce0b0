// C = A · B in tensor memory by two thread blocks, 256 × 32 × two steps: each has half of the rows of A and C, and half of
// the columns of B. A cluster of two. KIND 1: f16. 2: e4m3 with a scale for each 32, copied into both tensor memories.
// WRONG 1: the halves of B change places. 2: the second block's barrier object gets no arrival. 3: the second block does
// not wait for the product. 4: no proxy fence in the second block. 5: the second block takes no columns. 6: the second
// block gives nothing back. 7: the product starts before the second block has filled its shared memory. 8: each block's
// rows of C are the other's.
#include <cuda_fp16.h>
#ifndef WRONG
#define WRONG 0
#endif
#include "../bulk/bulk.h"
#include "tcgen05.h"
#include "../narrow/narrow.h"
using namespace tm;
#if KIND == 1
typedef half type;
#else
typedef byte type;
#endif
constexpr int LINE = 16 / sizeof(type), K = 4 * LINE, N = 32, HALF = N / 2; // two lines a step

__device__ inline float wide(type x) {
#if KIND == 1
    return __half2float(x);
#else
    return e4m3(x);
#endif
}

extern "C" __global__ void ref(const type *a, const type *b, const byte *sa, const byte *sb, float *c) {
    int row = blockIdx.x, col = threadIdx.x;
    float s = 0;
    for (int k = 0; k < K; k++) {
        float x = wide(a[row * K + k]) * wide(b[col * K + k]);
        if (KIND == 2) x *= ue8m0(sa[row * 4 + k / 32]) * ue8m0(sb[col * 4 + k / 32]);
        s += x;
    }
    c[row * N + col] = s;
}

__device__ inline u32 rank() {
    u32 r;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ inline void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline void take_both(u32 *to) {
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared(to)), "r"(64) : "memory");
}
__device__ inline void multiply(u32 d, u64 a, u64 b, u32 what, int adds) {
#if KIND == 1
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d), "l"(a), "l"(b), "r"(what), "r"(adds) : "memory");
#else
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale [%0], %1, %2, %3, [%5], [%6], p; }" ::"r"(d), "l"(a), "l"(b), "r"(what), "r"(adds), "r"(d + 32), "r"(d + 36) : "memory");
#endif
}
__device__ inline void copy_both(u32 to, const void *from) {
    asm volatile("tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;" ::"r"(to), "l"(describe(shared(from), 16, 128, 16)) : "memory");
}

extern "C" __global__ void __launch_bounds__(128) __cluster_dims__(2, 1, 1)
opt(const type *a, const type *b, const byte *sa, const byte *sb, float *c) {
    __shared__ alignas(128) type as[128 * K], bs[HALF * K];
    __shared__ alignas(128) byte image_a[512], image_b[512];
    __shared__ u64 done;
    __shared__ u32 slot;
    int t = threadIdx.x, warp = t / 32;
    u32 mine = rank();
    if (warp == 0 && !(WRONG == 5 && mine)) take_both(&slot);
    if (t == 0) {
        init(&done, 1);
        init_done();
    }
    if (WRONG == 7) meet(); // wrong: too early
    const type *rows = a + mine * 128 * K, *cols = b + (WRONG == 1 ? 1 - mine : mine) * HALF * K;
    for (int i = t; i < 128 * K; i += 128) as[i % K / LINE * 128 * LINE + i / K * LINE + i % LINE] = rows[i];
    for (int i = t; i < HALF * K; i += 128) bs[i % K / LINE * HALF * LINE + i / K * LINE + i % LINE] = cols[i];
    if (KIND == 2) {
        for (int i = t; i < 512; i += 128) image_a[i / 4 % 32 * 16 + i / 128 * 4 + i % 4] = sa[mine * 512 + i];
        // All columns of B have their scales in both blocks.
        for (int i = t; i < N * 4; i += 128) image_b[i / 4 * 16 + i % 4] = sb[i];
    }
    if (WRONG != 4 || !mine) fence_proxy();
    if (WRONG != 7) meet();
    else __syncthreads();
    u32 d = slot, lanes = warp * 32 << 16;
    if (t == 0 && mine == 0) {
        if (KIND == 2) {
            copy_both(d + 32, image_a);
            copy_both(d + 36, image_b);
        }
        for (int step = 0; step < 2; step++) {
            u32 what = KIND == 1 ? shape(1, 0, 0, 256, N) : N / 8 << 17 | 256 / 16 << 24 | 1 << 23 | step << 4 | step << 29;
            u64 x = describe(shared(as) + step * 2 * 128 * 16, 128 * 16, 128, 16);
            u64 y = describe(shared(bs) + step * 2 * HALF * 16, HALF * 16, 128, 16);
            multiply(d, x, y, what, step);
        }
        if (WRONG == 2)
            asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared(&done)) : "memory");
        else
            asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(shared(&done)), "h"((unsigned short)3) : "memory");
    }
    if (WRONG != 3 || !mine) wait(&done, 0);
    after();
    u32 r[N];
    for (int i = 0; i < N; i += 4)
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0,%1,%2,%3}, [%4];" : R4(r, i) : "r"(d + lanes + i) : "memory");
    wait_loads();
    u32 whose = WRONG == 8 ? 1 - mine : mine;
    for (int i = 0; i < N; i++) c[(whose * 128 + t) * N + i] = __uint_as_float(r[i]);
    before();
    meet();
    if (warp == 0 && !(WRONG == 6 && mine)) asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(d), "r"(64));
}
