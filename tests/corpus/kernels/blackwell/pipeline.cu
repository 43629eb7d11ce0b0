// C = A · B, 128 × 64 × 256 of f16, specialised: one warp fetches tiles of 64 of the depth into a ring of three buffers by
// tensor copies, one thread of another starts the products and gives buffers back by commits, four warps load the sums.
// A lies K-major and B N-major, both in rows of 128 bytes, of which the lines change places.
// WRONG 1: the producer waits for the same parity for ever. 2: the products do. 3: the bytes of B are not expected.
// 4: buffers are given back by an arrival, not a commit. 5: the sums are loaded once the copies have come. 6: B is said
// to be K-major. 7: two buffers, and three are counted. 8: buffers are not given back. 9: no fence::after_thread_sync
// in front of the loads. 10: each tile overwrites the sums. 11: the columns are given back by the warp that multiplies.
#include <cuda_fp16.h>
#ifndef WRONG
#define WRONG 0
#endif
#include "../tensor_maps/maps.h"
#include "tcgen05.h"
using namespace tm;
constexpr int M = 128, N = 64, K = 256, TILE = 64, STAGES = 3, BUFFERS = WRONG == 7 ? 2 : STAGES;

extern "C" __global__ void ref(const half *a, const half *b, float *c) {
    int row = blockIdx.x, col = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += __half2float(a[row * K + k]) * __half2float(b[k * N + col]);
    c[row * N + col] = sum;
}

extern "C" __global__ void __launch_bounds__(192)
    opt(const __grid_constant__ CUtensorMap of_a, const __grid_constant__ CUtensorMap of_b, float *c) {
    __shared__ alignas(1024) half as[STAGES][M * TILE], bs[STAGES][TILE * N];
    __shared__ u64 full[STAGES], empty[STAGES], done;
    __shared__ u32 slot;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init(&full[i], 1);
            init(&empty[i], 1);
        }
        init(&done, 1);
        init_done();
    }
    if (warp == 5) {
        take(&slot, 64);
        relinquish();
    }
    before();
    __syncthreads();
    after();
    u32 d = slot;
    if (warp == 4) {
        if (lane == 0)
            for (int tile = 0; tile < K / TILE; tile++) {
                int s = tile % STAGES, buffer = s % BUFFERS; // wrong: 7
                wait(&empty[s], WRONG == 1 ? 1 : ((tile / STAGES) & 1) ^ 1); // wrong: 1
                expect(&full[s], sizeof as[0] + (WRONG == 3 ? 0 : sizeof bs[0])); // wrong: 3
                load(as[buffer], &of_a, &full[s], tile * TILE, 0);
                load(bs[buffer], &of_b, &full[s], 0, tile * TILE);
            }
    } else if (warp == 5) {
        if (lane == 0) {
            constexpr u32 what = shape(1, 0, 0, M, N, 0, WRONG == 6 ? 0 : 1);
            for (int tile = 0; tile < K / TILE; tile++) {
                int s = tile % STAGES, buffer = s % BUFFERS;
                wait(&full[s], WRONG == 2 ? 0 : (tile / STAGES) & 1); // wrong: 2
                after();
                for (int step = 0; step < TILE / 16; step++) {
                    u64 of_a = describe(shared(as[buffer]) + step * 32, 16, 1024, 128);
                    u64 of_b = describe(shared(bs[buffer]) + step * 2048, 16, 1024, 128);
                    multiply_f16(d, of_a, of_b, what, (WRONG == 10 ? 0 : tile) + step > 0);
                }
                if (WRONG == 4) arrive(&empty[s]); else if (WRONG != 8) commit(&empty[s]); // wrong: 4 and 8
            }
            commit(&done);
        }
    } else {
        if (WRONG == 5) wait(&full[1], 0); else wait(&done, 0); // wrong: 5
        if (WRONG != 9) after();
        for (int half = 0; half < N; half += 32) {
            u32 r[32];
            LOAD32("32x32b.x32", r, d + (warp * 32 << 16) + half);
            wait_loads();
            for (int i = 0; i < 32; i++) c[threadIdx.x * N + half + i] = __uint_as_float(r[i]);
        }
        before();
    }
    if (WRONG != 11) __syncthreads();
    after();
    if (warp == 5) give(d, 64);
}
