// softmax_naive that writes its result one element too far: the last thread leaves the tensor.
#include <math_constants.h>

extern "C" __global__ void softmax_naive(const float *x, float *y) {
    __shared__ float row[N];
    int i = threadIdx.x;
    row[i] = x[i];
    __syncthreads();

    float largest = -CUDART_INF_F;
    for (int j = 0; j < N; ++j) largest = fmaxf(largest, row[j]);

    float sum = 0.0f;
    for (int j = 0; j < N; ++j) sum += expf(row[j] - largest);

    y[i + 1] = expf(row[i] - largest) / sum;  // wrong: i + 1
}
