// Twice the tiles of a matrix: directly, and through two buffers that copies of boxes fill and empty.
// For 4 CTAs, which take two tiles of 16 × 32 each, of a matrix of 64 × 64.
// WRONG 1: half of the bytes are expected. 2: the coordinates of the load change places. 3: the copies are not
// made a group. 4: no proxy fence before the copy. 5: the buffer is overwritten without waiting for reads.
// 6: the second tile's parity is that of the first. 7: the box is stored one row too low. 8: twice the bytes
// are expected.
#ifndef WRONG
#define WRONG 0
#endif
#include "maps.h"
constexpr int ROWS = 16, COLS = 32;
extern "C" __global__ void ref(const float *x, float *y) {
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) y[blockIdx.x * 1024 + i] = 2.0f * x[blockIdx.x * 1024 + i];
}

extern "C" __global__ void opt(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y) {
    __shared__ alignas(128) float tile[ROWS][COLS];
    __shared__ u64 full;
    int t = threadIdx.x, row = blockIdx.x * ROWS;
    if (t == 0) {
        init(&full, 1);
        init_done();
    }
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            if (WRONG != 5) wait_read<0>(); // missing: 5
            expect(&full, WRONG == 1 ? sizeof tile / 2 : WRONG == 8 ? sizeof tile * 2 : sizeof tile); // wrong: 1, 8
            if (WRONG == 2) load(tile, &x, &full, row, k * COLS); // wrong: 2
            else load(tile, &x, &full, k * COLS, row);
        }
        wait(&full, WRONG == 6 ? 0 : k); // wrong: 6
        for (int i = 0; i < 4; i++) tile[i * 4 + t / COLS][t % COLS] *= 2.0f;
        if (WRONG != 4) fence_proxy(); // missing: 4
        __syncthreads();
        if (t == 0) {
            store(&y, tile, k * COLS, WRONG == 7 ? row + 1 : row); // wrong: 7
            if (WRONG != 3) commit(); // missing: 3
        }
        __syncthreads();
    }
    if (t == 0) wait_read<0>();
}
