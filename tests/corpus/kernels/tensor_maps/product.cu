// C = A · B in halves with sums in f32, 64 × 64 × K: one thread an element, and specialised: one thread of a warp keeps a
// ring of three pairs of boxes full, 128 threads multiply. Rows of boxes are 128 bytes, swizzled.
// WRONG 1: the producer does not flip its parity. 2: there is one buffer fewer than barrier objects. 3: only the bytes of A are
// expected. 4: consumers give a buffer back before they have read it. 5: the last slab is not waited for.
// 6: the coordinates of B change places. 7: the consumers' parity is not flipped.
#ifndef WRONG
#define WRONG 0
#endif
#include <cuda_fp16.h>
#include "maps.h"
constexpr int N = 64, K = 320, SLAB = 64, STAGES = 3, BUFFERS = WRONG == 2 ? 2 : 3;
extern "C" __global__ void ref(const half *a, const half *b, float *c) {
    int row = blockIdx.x, col = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += __half2float(a[row * K + k]) * __half2float(b[k * N + col]);
    c[row * N + col] = sum;
}

__device__ half at(const half *box, int row, int col) { return box[row * 64 + ((col / 8) ^ (row & 7)) * 8 + col % 8]; }

extern "C" __global__ void opt(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c) {
    extern __shared__ char memory[];
    half *as = (half *)memory, *bs = as + BUFFERS * N * SLAB;
    u64 *full = (u64 *)(bs + BUFFERS * N * SLAB), *empty = full + STAGES;
    int t = threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            init(&full[i], 1);
            init(&empty[i], 128);
        }
        init_done();
    }
    __syncthreads();
    if (t >= 128) {
        if (t == 128) {
            for (int k = 0; k < K / SLAB; k++) {
                int s = k % STAGES, r = WRONG == 2 ? k % 2 : s;
                wait(&empty[s], WRONG == 1 ? 1 : ((k / STAGES) & 1) ^ 1); // wrong: 1
                expect(&full[s], WRONG == 3 ? N * SLAB * 2 : N * SLAB * 4); // wrong: 3
                load(as + r * N * SLAB, &a, &full[s], k * SLAB, 0);
                if (WRONG == 6) load(bs + r * N * SLAB, &b, &full[s], k * SLAB, 0); // wrong: 6
                else load(bs + r * N * SLAB, &b, &full[s], 0, k * SLAB);
            }
        }
        return;
    }
    int col = t % 64, first = t / 64 * 32;
    float sums[32] = {};
    for (int k = 0; k < K / SLAB; k++) {
        int s = k % STAGES, r = WRONG == 2 ? k % 2 : s;
        if (WRONG != 5 || k < K / SLAB - 1) // missing: 5
            wait(&full[s], WRONG == 7 ? 0 : (k / STAGES) & 1); // wrong: 7
        if (WRONG == 4) arrive(&empty[s]); // wrong: 4
        const half *tile = as + r * N * SLAB, *slab = bs + r * N * SLAB;
        for (int i = 0; i < SLAB; i++) {
            float y = __half2float(at(slab, i, col));
            for (int row = 0; row < 32; row++) sums[row] += __half2float(at(tile, first + row, i)) * y;
        }
        if (WRONG != 4) arrive(&empty[s]);
    }
    for (int row = 0; row < 32; row++) c[(first + row) * N + col] = sums[row];
}
