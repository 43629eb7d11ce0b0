// A maximum and a sum by shuffles.
#include "honest.cuh"

extern "C" __global__ void softmax(const float *x, float *y) {
    __shared__ float partial[WARPS];
    int i = blockIdx.x * COLUMNS + threadIdx.x;
    y[i] = honest(x[i], partial);
}
