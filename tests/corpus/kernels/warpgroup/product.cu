// C = A · B, 64 × 32 × 64 of f16: one thread an element, and a warpgroup.
// A lies K-major in rows of SPAN bytes (128, 64, 32; 16: core matrices), B the same, or N-major (TURNED).
// WRONG 1: no proxy fence. 2: no wgmma.fence. 3: one group may still run. 4: half the swizzle in the descriptor.
// 5: A from the line beside on. 6: the first product adds what is in the registers. 7: no commit. 8: no barrier before.
// 9: accumulators scaled too early. 10: each warp another descriptor. 11: one warp takes no part. 12: B the other way
// round. 13: shared memory is filled again too early. 14: the neighbouring eight rows.
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
#include "warpgroup.h"
using namespace wg;
constexpr int M = 64, N = 32, K = 64, ROW = SPAN / 2;

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

__device__ inline int place_turned(int k, int col) {
    if (SPAN == 16) return k / 8 * (N / 8) * 128 + col / 8 * 128 + k % 8 * 16 + col % 8 * 2;
    return swizzled(k, col * 2, 64);
}

__device__ inline u64 matrix(const char *p, int step, int rows) {
    u32 start = shared(p) + (WRONG == 5 && rows == M ? 16 : 0);
    if (SPAN == 16) return describe(start + step * 256, 128, K / 8 * 128, 16);
    int slab = step * 16;
    int shown = WRONG == 4 ? SPAN / 2 : SPAN;
    return describe(start + slab / ROW * rows * SPAN + slab % ROW * 2, 16, (WRONG == 14 ? 4 : 8) * SPAN, shown);
}

__device__ inline u64 turned(const char *p, int step) {
    if (SPAN == 16) return describe(shared(p) + step * 2 * (N / 8) * 128, N / 8 * 128, 128, 16);
    return describe(shared(p) + step * 1024, 16, 512, 64);
}

extern "C" __global__ void __launch_bounds__(128) opt(const half *a, const half *b, float *c) {
    __shared__ alignas(1024) char as[M * K * 2], bs[K * N * 2];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    for (int i = t; i < M * K; i += 128) *(half *)(as + place(i / K, i % K, M)) = a[i];
    for (int i = t; i < K * N; i += 128)
        *(half *)(bs + (TURNED ? place_turned(i / N, i % N) : place(i % N, i / N, N))) = b[i];
    if (WRONG != 1) fence_proxy(); // missing: 1
    if (WRONG != 8) __syncthreads(); // missing: 8
    float d[16];
    for (int i = 0; i < 16; i++) d[i] = 0.0f;
    if (WRONG != 2) fence(); // missing: 2
    if (WRONG != 11 || warp != 2) {
#pragma unroll
        for (int step = 0; step < K / 16; step++) {
            u64 of_a = matrix(as, step, M), of_b = TURNED ? turned(bs, step) : matrix(bs, step, N);
            if (WRONG == 10) of_a += warp * 8;
            int adds = step > 0 || WRONG == 6;
            asm volatile(
                "{ .reg .pred p; setp.ne.b32 p, %18, 0;\n"
                "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, p, 1, 1, 0, %19; }"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                : "l"(of_a), "l"(of_b), "r"(adds), "n"(WRONG == 12 ? 1 - TURNED : TURNED));
        }
    }
    if (WRONG != 7) commit(); // missing: 7
    if (WRONG == 9) for (int i = 0; i < 16; i++) d[i] *= 2.0f; // wrong: 9
    if (WRONG == 13) *(half *)(as + t * 2) = a[0]; // wrong: 13
    if (WRONG == 3) wait<1>(); else wait<0>(); // wrong: 3
    if (WRONG == 9) for (int i = 0; i < 16; i++) d[i] *= 0.5f;
    if (WRONG == 3 || WRONG == 7) *(half *)(as + t * 2) = a[0]; // reused while it is read
    for (int i = 0; i < 16; i++) {
        int row = warp * 16 + lane / 4 + i % 4 / 2 * 8, col = i / 4 * 8 + lane % 4 * 2 + i % 2;
        c[row * N + col] = d[i];
    }
}
