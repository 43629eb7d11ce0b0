// softmax_naive whose sum leaves out the last element.
#include <math_constants.h>

extern "C" __global__ void softmax_naive(const float *x, float *y) {
    __shared__ float row[N];
    int i = threadIdx.x;
    row[i] = x[i];
    __syncthreads();

    float largest = -CUDART_INF_F;
    for (int j = 0; j < N; ++j) largest = fmaxf(largest, row[j]);

    float sum = 0.0f;
    for (int j = 0; j < N - 1; ++j) sum += expf(row[j] - largest);  // wrong: N - 1

    y[i] = expf(row[i] - largest) / sum;
}
