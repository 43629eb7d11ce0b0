// y[place[i]] = 2 · x[pick[i]] for rows of 32 floats, four at a time: gathered, doubled in shared memory, scattered
// (Blackwell). The rows come from constants, TABLE: from an index tensor, of which the spec says what it holds. One block of
// 128 threads for 8 rows.
// WRONG 1: two rows of a gather change places. 2: a row is scattered to where another one goes. 3: the bytes of one row are
// expected. 4: no proxy fence. 5: the columns begin at 16.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef TABLE
#define TABLE 0
#endif
#include "maps.h"
constexpr int COLS = 32, ROWS = 8;
__device__ int from_row(const int *pick, int i) { return TABLE ? pick[i] : (5 * i + 3) % 16; }
__device__ int to_row(int i) { return (3 * i + 1) % ROWS; }

extern "C" __global__ void ref(const float *x, const int *pick, float *y) {
    for (int i = threadIdx.x; i < ROWS * COLS; i += blockDim.x)
        y[to_row(i / COLS) * COLS + i % COLS] = 2.0f * x[from_row(pick, i / COLS) * COLS + i % COLS];
}

__device__ void gather(void *to, const CUtensorMap *m, u64 *b, int column, int r0, int r1, int r2, int r3) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, "
                 "%4, %5, %6}], [%7];" ::"r"(sp(to)), "l"(m), "r"(column), "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(sp(b))
                 : "memory");
}
__device__ void scatter(const CUtensorMap *m, const void *from, int column, int r0, int r1, int r2, int r3) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(m),
                 "r"(column), "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(sp(from))
                 : "memory");
}

extern "C" __global__ void opt(const __grid_constant__ CUtensorMap x, const int *pick, const __grid_constant__ CUtensorMap y) {
    __shared__ alignas(1024) float rows[ROWS][COLS];
    __shared__ u64 full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        init_done();
        expect(&full, WRONG == 3 ? sizeof rows / ROWS : sizeof rows); // wrong: 3
        for (int i = 0; i < ROWS; i += 4) {
            int a = from_row(pick, i), b = from_row(pick, i + 1);
            gather(rows[i], &x, &full, WRONG == 5 ? 16 : 0, WRONG == 1 ? b : a, WRONG == 1 ? a : b, from_row(pick, i + 2), from_row(pick, i + 3)); // wrong: 1, 5
        }
    }
    __syncthreads();
    wait(&full, 0);
    for (int i = t; i < ROWS * COLS; i += 128) rows[i / COLS][i % COLS] *= 2.0f;
    if (WRONG != 4) fence_proxy(); // missing: 4
    __syncthreads();
    if (t == 0) {
        for (int i = 0; i < ROWS; i += 4)
            scatter(&y, rows[i], 0, to_row(i), to_row(WRONG == 2 ? i : i + 1), to_row(i + 2), to_row(i + 3)); // wrong: 2
        commit();
        wait_read<0>();
    }
}
