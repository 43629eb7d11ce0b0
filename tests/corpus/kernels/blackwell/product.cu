// C = A · B, ROWS × N × 64 of f16: one thread an element, and a product in tensor memory.
// A lies K-major in rows of SPAN bytes (128, 64, 32; 16: core matrices), B the same, or N-major (TURNED).
// WRONG 1: the product is not waited for. 2: no wait::ld. 3: no fence::after_thread_sync. 4: no step adds to the one before.
// 5: the neighbouring slab. 6: half the swizzle in the descriptor. 7: nothing is given back. 8: loads after that.
// 9: each warp loads the lanes of the first. 10: given back before the other warps have loaded. 11: no commit. 12: no
// proxy fence. 13: other columns are given back. 14: the first step adds. 15: taken after relinquish. 16: shared memory
// is filled again while the product may read it. 17: half as many columns. 18: no barrier before the product. 19: 48
// columns. 20: two threads start the product. 21: the last step is not committed. 22: an address nobody has given. 23:
// more columns than there are. 24: given back twice. 25: one commit too many. 26: eight rows further on are four.
// PAIR: two thread blocks of a cluster, each of which waits for the products of both. WRONG 27: each commits to its own
// object alone. 28: no barrier of the cluster in front.
#include <cuda_fp16.h>
#ifndef WRONG
#define WRONG 0
#endif
#ifndef SPAN
#define SPAN 128
#endif
#ifndef TURNED
#define TURNED 0
#endif
#ifndef ROWS
#define ROWS 128
#endif
#ifndef COLS
#define COLS 64
#endif
#ifndef PAIR
#define PAIR 0
#endif
#include "../bulk/bulk.h"
#include "tcgen05.h"
using namespace tm;
constexpr int N = COLS, K = 64, ROW = SPAN / 2;

extern "C" __global__ void ref(const half *a, const half *b, float *c) {
    int row = blockIdx.x, col = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += __half2float(a[row * K + k]) * __half2float(b[k * N + col]);
    c[row * N + col] = sum;
}

// Where the elements of 16 bytes more in the depth are: in the same row, or in the next panel.
__device__ inline int place(int row, int k, int rows) {
    if (SPAN == 16) return row / 8 * (K / 8) * 128 + k / 8 * 128 + row % 8 * 16 + k % 8 * 2;
    return k / ROW * rows * SPAN + swizzled(row, k % ROW * 2, SPAN);
}

// Rows of 64 columns, or of 32; of 16 bytes, core matrices.
constexpr int WIDE = SPAN == 16 ? 16 : N * 2 < 128 ? N * 2 : 128;
__device__ inline int place_turned(int k, int col) {
    if (SPAN == 16) return k / 8 * (N / 8) * 128 + col / 8 * 128 + k % 8 * 16 + col % 8 * 2;
    return swizzled(k, col * 2, WIDE);
}

__device__ inline u64 matrix(const char *p, int step, int rows) {
    u32 start = shared(p);
    if (SPAN == 16) return describe(start + step * 256, 128, K / 8 * 128, 16);
    int slab = (WRONG == 5 && rows == ROWS ? (step + 1) % 4 : step) * 16;
    int shown = WRONG == 6 ? SPAN / 2 : SPAN;
    return describe(start + slab / ROW * rows * SPAN + slab % ROW * 2, 16, (WRONG == 26 ? 4 : 8) * SPAN, shown);
}

__device__ inline u64 turned(const char *p, int step) {
    if (SPAN == 16) return describe(shared(p) + step * 2 * (N / 8) * 128, N / 8 * 128, 128, 16);
    return describe(shared(p) + step * 16 * WIDE, 16, 8 * WIDE, WIDE);
}

__device__ inline void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ inline void commit(u64 *object, unsigned short ranks) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(shared(object)), "h"(ranks) : "memory");
}

extern "C" __global__ void __launch_bounds__(128) opt(const half *a, const half *b, float *c) {
    __shared__ alignas(1024) char as[ROWS * K * 2], bs[K * N * 2];
    __shared__ u64 done;
    __shared__ u32 slot;
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    u32 rank = 0;
    if (PAIR) {
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        a += rank * ROWS * K;
        c += rank * ROWS * N;
    }
    constexpr int COLUMNS = WRONG == 19 ? 48 : WRONG == 23 ? 512 : 64;
    if (warp == 0) {
        if (WRONG == 15) relinquish();
        take(&slot, COLUMNS); // taken
        if (WRONG == 23) take(&slot, COLUMNS); // taken again
        relinquish();
    }
    if (t == 0) {
        init(&done, PAIR ? 2 : 1);
        init_done();
    }
    for (int i = t; i < ROWS * K; i += 128) *(half *)(as + place(i / K, i % K, ROWS)) = a[i];
    for (int i = t; i < K * N; i += 128)
        *(half *)(bs + (TURNED ? place_turned(i / N, i % N) : place(i % N, i / N, N))) = b[i];
    if (WRONG != 12) fence_proxy();
    if (WRONG != 18) __syncthreads();
    if (PAIR && WRONG != 28) meet();
    u32 d = WRONG == 22 ? 0 : slot;
    if (t == 0 || WRONG == 20 && t == 32) {
        constexpr u32 what = shape(1, 0, 0, ROWS, WRONG == 17 ? N / 2 : N, 0, TURNED);
#pragma unroll
        for (int step = 0; step < K / 16; step++) {
            if (WRONG == 21 && step == K / 16 - 1) commit(&done);
            u64 of_b = TURNED ? turned(bs, step) : matrix(bs, step, N);
            multiply_f16(d, matrix(as, step, ROWS), of_b, what, WRONG == 4 ? 0 : WRONG == 14 || step > 0);
        }
        if (PAIR) commit(&done, WRONG == 27 ? 1 << rank : 3);
        else if (WRONG != 11 && WRONG != 21) commit(&done);
        if (WRONG == 25) commit(&done);
    }
    if (WRONG == 16) *(half *)(as + t * 2) = a[0];
    if (WRONG != 1) wait(&done, 0);
    if (WRONG != 3) after();
    if (WRONG == 8) {
        __syncthreads();
        if (warp == 0) give(d, COLUMNS);
        __syncthreads();
    }
    u32 lanes = (WRONG == 9 ? 0 : warp) * 32 << 16;
    for (int half = 0; half < N; half += 32) {
        u32 r[32];
#if ROWS == 64
        LOAD32("16x256b.x8", r, d + lanes);
#else
        LOAD32("32x32b.x32", r, d + lanes + half);
#endif
        if (WRONG != 2) wait_loads();
        for (int i = 0; i < 32; i++) {
            int row = ROWS == 64 ? warp * 16 + lane / 4 + i / 2 % 2 * 8 : t;
            int col = ROWS == 64 ? i / 4 * 8 + lane % 4 * 2 + i % 2 : half + i;
            if (WRONG == 2 && i == 0 && half == 0) c[0] = 0.0f;
            c[row * N + col] = __uint_as_float(r[i]);
        }
        if (ROWS == 64) break;
    }
    if (WRONG != 10) __syncthreads();
    if (PAIR) meet();
    if (warp == 0 && WRONG != 7 && WRONG != 8) give(WRONG == 13 ? d + 32 : d, COLUMNS);
    if (warp == 0 && WRONG == 24) give(d, COLUMNS);
}
