// C = A·B for matrices of any size, by tiles in shared memory.
#ifndef MUTANT
#define MUTANT 0
#endif
#ifndef TILE
#define TILE 16
#endif

extern "C" __global__ void matmul(int m, int n, int k, const float *a, const float *b, float *c) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int from = 0; from < k; from += TILE) {
        left[y][x] = row < m && from + x < k ? a[row * k + from + x] : 0.0f;
#if MUTANT == 3
        right[y][x] = column < n ? b[(from + y) * n + column] : 0.0f;  // missing: the guard of k
#else
        right[y][x] = from + y < k && column < n ? b[(from + y) * n + column] : 0.0f;
#endif
#if MUTANT != 1  // missing: the barrier before the tile is read
        __syncthreads();
#endif
        for (int i = 0; i < TILE; i++) sum += left[y][i] * right[i][x];
#if MUTANT != 2  // missing: the barrier before the tile is overwritten
        __syncthreads();
#endif
    }
#if MUTANT == 4
    if (row < m && column <= n) c[row * n + column] = sum;  // wrong: one too far
#else
    if (row < m && column < n) c[row * n + column] = sum;
#endif
}
