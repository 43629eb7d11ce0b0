// C = A · B, 32 × 32 × 64: one thread an element, and specialised: a warp copies slabs of A and B by rows into a
// ring of two buffers, two warps multiply, and their result leaves by rows from shared memory.
// WRONG 1: the bytes of B are not expected. 2: only one warp of the two gives a buffer back, and half as many
// arrivals are expected. 3: the result is copied without a proxy fence.
#ifndef WRONG
#define WRONG 0
#endif
#include "bulk.h"
constexpr int N = 32, K = 64, SLAB = 16, STAGES = 2;
extern "C" __global__ void ref(const float *a, const float *b, float *c) {
    int row = threadIdx.x / N, col = threadIdx.x % N;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += a[row * K + k] * b[k * N + col];
    c[row * N + col] = sum;
}

extern "C" __global__ void opt(const float *a, const float *b, float *c) {
    __shared__ alignas(128) float as[STAGES][N][SLAB], bs[STAGES][SLAB][N], cs[N][N];
    __shared__ u64 full[STAGES], empty[STAGES];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init(&full[i], 1);
            init(&empty[i], WRONG == 2 ? 32 : 64);
        }
        init_done();
    }
    __syncthreads();
    if (warp == 2) {
        for (int k = 0; k < K / SLAB; k++) {
            int s = k % STAGES;
            wait(&empty[s], ((k / STAGES) & 1) ^ 1);
            if (lane == 0) expect(&full[s], WRONG == 1 ? sizeof as[0] : sizeof as[0] + sizeof bs[0]); // wrong: 1
            load(as[s][lane], a + lane * K + k * SLAB, sizeof as[s][0], &full[s]);
            if (lane < SLAB) load(bs[s][lane], b + (k * SLAB + lane) * N, sizeof bs[s][0], &full[s]);
        }
        return;
    }
    float sums[N / 2] = {};
    for (int k = 0; k < K / SLAB; k++) {
        int s = k % STAGES;
        wait(&full[s], (k / STAGES) & 1);
        for (int i = 0; i < SLAB; i++)
            for (int row = 0; row < N / 2; row++) sums[row] += as[s][2 * row + warp][i] * bs[s][i][lane];
        if (WRONG != 2 || warp == 0) arrive(&empty[s]); // wrong: 2
    }
    for (int row = 0; row < N / 2; row++) cs[2 * row + warp][lane] = sums[row];
    if (WRONG != 3) fence_proxy(); // missing: 3
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (warp == 0) {
        store(c + lane * N, cs[lane], sizeof cs[0]);
        commit();
        wait_read<0>();
    }
}
