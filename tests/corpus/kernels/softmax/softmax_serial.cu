// Softmax of one row of n columns, for any n and any number of threads: each thread sums up the whole row for each
// of its columns.
#include <math_constants.h>

extern "C" __global__ void softmax_serial(const float *x, float *y, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float largest = -CUDART_INF_F;
        for (int j = 0; j < n; ++j) largest = fmaxf(largest, x[j]);
        float sum = 0.0f;
        for (int j = 0; j < n; ++j) sum += expf(x[j] - largest);
        y[i] = expf(x[i] - largest) / sum;
    }
}
