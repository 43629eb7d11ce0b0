// The transpose of a matrix of 64 × 96 by tiles of 32 × 32: a box of rows of 128 bytes lies swizzled in shared
// memory, is read by columns without conflicts between banks, and leaves as a box of the transposed matrix.
// WRONG 1: the reads undo a swizzle of 64 bytes. 2: the reads undo none. 3: the array is declared with an alignment
// of 16 bytes. 4: of 128 bytes, where the swizzle begins again every 1,024.
#ifndef WRONG
#define WRONG 0
#endif
#include "maps.h"
constexpr int ROWS = 64, COLS = 96, N = 32;
extern "C" __global__ void ref(const float *x, float *y) {
    int row = blockIdx.y * N + threadIdx.y, col = blockIdx.x * N + threadIdx.x;
    y[col * ROWS + row] = x[row * COLS + col];
}

__device__ int swizzled(int row, int col) {
    int chunk = col / 4;
    if (WRONG != 2) chunk ^= row & (WRONG == 1 ? 3 : 7); // wrong: 1, 2
    return row * N + chunk * 4 + col % 4;
}

extern "C" __global__ void opt(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y) {
    __shared__ alignas(WRONG == 3 ? 16 : WRONG == 4 ? 128 : 1024) float in[N * N]; // wrong: 3, 4
    __shared__ alignas(1024) float out[N * N];
    __shared__ u64 full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        init_done();
        expect(&full, sizeof in);
        load(in, &x, &full, blockIdx.x * N, blockIdx.y * N);
    }
    __syncthreads();
    wait(&full, 0);
    for (int i = t / N; i < N; i += 4) out[swizzled(t % N, i)] = in[swizzled(i, t % N)];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(&y, out, blockIdx.y * N, blockIdx.x * N);
        commit();
        wait_read<0>();
    }
}
