// Softmax of one row of n columns by one warp, for any n: each lane takes every 32nd column, two at a time.
// MUTANT 1 forgets the column that is left over, unless the row has no more columns than the warp has lanes.
// MUTANT 2 takes two columns where the second is the first behind the row.
#include <math_constants.h>

extern "C" __global__ void softmax_columns(const float *x, float *y, int n) {
    int lane = threadIdx.x;
    float largest = -CUDART_INF_F;
    for (int j = lane; j < n; j += 32) largest = fmaxf(largest, x[j]);
    for (int d = 16; d > 0; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));

    float sum = 0.0f;
    int j = lane;
#if MUTANT == 2
#define SECOND (j + 32 <= n) // wrong: column n is not part of the row
#else
#define SECOND (j + 32 < n)
#endif
#pragma unroll 1
    for (; SECOND; j += 64) sum += expf(x[j] - largest) + expf(x[j + 32] - largest);
#if MUTANT == 1
    if (n <= 32 && j < n) sum += expf(x[j] - largest); // wrong: a longer row may have a column left over, too
#else
    if (j < n) sum += expf(x[j] - largest);
#endif
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);

#pragma unroll 1
    for (j = lane; j < n; j += 32) y[j] = expf(x[j] - largest) / sum;
}
