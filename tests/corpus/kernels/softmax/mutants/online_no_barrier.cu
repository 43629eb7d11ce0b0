// softmax_online without the barrier between filling the row and reading it.
#include <math_constants.h>

extern "C" __global__ void softmax_online(const float *x, float *y) {
    __shared__ float row[N];
    int i = threadIdx.x;
    row[i] = x[i];
    // missing: __syncthreads();

    float largest = -CUDART_INF_F, sum = 0.0f;
    for (int j = 0; j < N; ++j) {
        float before = largest;
        largest = fmaxf(largest, row[j]);
        sum = sum * expf(before - largest) + expf(row[j] - largest);
    }

    y[i] = expf(row[i] - largest) / sum;
}
