// The transpose of a matrix of any size, by tiles in shared memory.
#ifndef MUTANT
#define MUTANT 0
#endif
#ifndef TILE
#define TILE 16
#endif
#ifndef PAD
#define PAD 1
#endif

extern "C" __global__ void transpose(int rows, int columns, const float *x, float *y) {
    __shared__ float tile[TILE][TILE + PAD];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
#if MUTANT == 1
    if (column <= columns && row < rows)  // wrong: one too far
#elif MUTANT == 2
    if (column < columns)  // missing: the guard of rows
#else
    if (column < columns && row < rows)
#endif
        tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
#if MUTANT != 3  // missing: the barrier
    __syncthreads();
#endif
    column = blockIdx.y * TILE + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
#if MUTANT == 4
    if (column < rows && row < columns) y[row * columns + column] = tile[threadIdx.x][threadIdx.y];  // wrong stride
#else
    if (column < rows && row < columns) y[row * rows + column] = tile[threadIdx.x][threadIdx.y];
#endif
}
