// Softmax of each row of a matrix with COLUMNS columns: one thread per row, one row per block.
#include <math_constants.h>

extern "C" __global__ void softmax_rows(const float *x, float *y) {
    x += blockIdx.x * COLUMNS;
    y += blockIdx.x * COLUMNS;
    float largest = -CUDART_INF_F, sum = 0.0f;
    for (int i = 0; i < COLUMNS; ++i) largest = fmaxf(largest, x[i]);
    for (int i = 0; i < COLUMNS; ++i) sum += expf(x[i] - largest);
    for (int i = 0; i < COLUMNS; ++i) y[i] = expf(x[i] - largest) / sum;
}
