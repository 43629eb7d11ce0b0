// C += A · B, 32 × 32 × 128, split over four CTAs: with atomics, and with boxes that are added to C in the background.
// WRONG 1: the boxes are stored. 2: no proxy fence before the copy. 3: the tile is added once more in
// the last CTA. 4: C is read again behind a wait for reads only.
#ifndef WRONG
#define WRONG 0
#endif
#include "maps.h"
constexpr int N = 32, K = 128, SLAB = 32;
__device__ float part(const float *a, const float *b, int row, int col) {
    float sum = 0.0f;
    for (int k = 0; k < SLAB; k++) sum += a[row * K + blockIdx.x * SLAB + k] * b[(blockIdx.x * SLAB + k) * N + col];
    return sum;
}
extern "C" __global__ void ref(const float *a, const float *b, float *c) {
    for (int i = threadIdx.x; i < N * N; i += blockDim.x) atomicAdd(&c[i], part(a, b, i / N, i % N));
}

extern "C" __global__ void opt(const float *a, const float *b, const __grid_constant__ CUtensorMap c, float *direct) {
    __shared__ alignas(128) float tile[N][N];
    for (int i = threadIdx.x; i < N * N; i += blockDim.x) tile[i / N][i % N] = part(a, b, i / N, i % N);
    if (WRONG != 2) fence_proxy(); // missing: 2
    __syncthreads();
    if (threadIdx.x == 0) {
        if (WRONG == 1) store(&c, tile, 0, 0); // wrong: 1
        else add(&c, tile, 0, 0);
        if (WRONG == 3 && blockIdx.x == 3) add(&c, tile, 0, 0); // wrong: 3
        commit();
        wait_read<0>();
        if (WRONG == 4 && direct[0] > 100.0f) direct[0] = 100.0f; // wrong: 4
    }
}
