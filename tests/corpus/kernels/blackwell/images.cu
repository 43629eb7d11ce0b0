// Rows of shared memory copied into tensor memory in each shape, and out again by the lanes. One block of 128 threads;
// the lanes that a copy does not reach are zero. Core matrices without swizzle, or (SWIZZLED) rows of 32 bytes.
// SHAPE 1: 128x256b. 2: 128x128b. 3: 4x256b. 4: 64x128b.warpx2::02_13. 5: 64x128b.warpx2::01_23. 6: 32x128b.warpx4.
// WRONG 1: the lanes of the other pair of warps. 2: not waited for. 3: shared memory is filled again too early. 4: the
// leading and the stride offset change places.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef SWIZZLED
#define SWIZZLED 0
#endif
#include "../bulk/bulk.h"
#include "tcgen05.h"
using namespace tm;
constexpr int ROWS = SHAPE < 3 ? 128 : SHAPE == 3 ? 4 : SHAPE < 6 ? 64 : 32, COLS = SHAPE == 1 || SHAPE == 3 ? 8 : 4;
#define SHAPE1 "128x256b"
#define SHAPE2 "128x128b"
#define SHAPE3 "4x256b"
#define SHAPE4 "64x128b.warpx2::02_13"
#define SHAPE5 "64x128b.warpx2::01_23"
#define SHAPE6 "32x128b.warpx4"
#define NAME_(k) SHAPE##k
#define NAME(k) NAME_(k)
#if WRONG == 1
#define WHAT SHAPE4
#else
#define WHAT NAME(SHAPE)
#endif

// The row that a lane gets, or -1.
__device__ inline int row_of(int lane) {
    switch (SHAPE) {
    case 1: case 2: return lane;
    case 3: return lane % 32 ? -1 : lane / 32;
    case 4: return lane % 64;
    case 5: return lane / 64 * 32 + lane % 32;
    default: return lane % 32;
    }
}

extern "C" __global__ void ref(const u32 *x, u32 *y) {
    int row = row_of(threadIdx.x);
    for (int i = 0; i < COLS; i++) y[threadIdx.x * COLS + i] = row < 0 ? 0 : x[row * COLS + i];
}

extern "C" __global__ void __launch_bounds__(128) opt(const u32 *x, u32 *y) {
    __shared__ alignas(1024) u32 rows[128 * COLS];
    __shared__ u64 done;
    __shared__ u32 slot;
    int t = threadIdx.x, warp = t / 32;
    if (warp == 0) take(&slot, 32);
    if (t == 0) {
        init(&done, 1);
        init_done();
    }
    for (int i = t; i < ROWS * COLS; i += 128) {
        int row = i / COLS, col = i % COLS;
        rows[SWIZZLED ? swizzled(row, col * 4, 32) / 4 : col / 4 * 128 * 4 + row * 4 + col % 4] = x[i];
    }
    fence_proxy();
    __syncthreads();
    u32 d = slot, lanes = warp * 32 << 16;
    if (SHAPE == 3) {
        asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1,%1,%1,%1,%1,%1,%1,%1};" ::"r"(d + lanes), "r"(0) : "memory");
        wait_stores();
        before();
        __syncthreads();
        after();
    }
    if (t == 0) {
        u64 from = SWIZZLED ? describe(shared(rows), 16, 256, 32) : WRONG == 4 ? describe(shared(rows), 128, 128 * 16, 16) : describe(shared(rows), 128 * 16, 128, 16);
        asm volatile("tcgen05.cp.cta_group::1." WHAT " [%0], %1;" ::"r"(d), "l"(from) : "memory");
        commit(&done);
        if (WRONG == 3) rows[0] = 0;
    }
    if (WRONG != 2) wait(&done, 0);
    after();
    u32 r[COLS];
    for (int i = 0; i < COLS; i += 4)
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0,%1,%2,%3}, [%4];" : R4(r, i) : "r"(d + lanes + i) : "memory");
    wait_loads();
    for (int i = 0; i < COLS; i++) y[t * COLS + i] = r[i];
    __syncthreads();
    if (warp == 0) give(d, 32);
}
