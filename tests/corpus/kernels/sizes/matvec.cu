// y = A·x for a matrix of any size, a row for each thread; or a row for each warp.
#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void matvec(int rows, int columns, const float *a, const float *x, float *y) {
#ifdef WARPS
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int j = lane; j < columns; j += 32) sum += a[row * columns + j] * x[j];
    for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffff, sum, by);
#if MUTANT == 3
    y[row] = sum;  // wrong: all lanes write
#else
    if (lane == 0) y[row] = sum;
#endif
#else
    int row = blockIdx.x * blockDim.x + threadIdx.x;
#if MUTANT == 1
    if (row > rows) return;  // wrong: one too far
#else
    if (row >= rows) return;
#endif
    float sum = 0.0f;
#if MUTANT == 2
    for (int j = 0; j < columns; j++) sum += a[row * columns + j + 1] * x[j];  // wrong: one too far
#else
    for (int j = 0; j < columns; j++) sum += a[row * columns + j] * x[j];
#endif
    y[row] = sum;
#endif
}
