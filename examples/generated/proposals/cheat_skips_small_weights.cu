// What is far below the maximum is taken for nothing, without looking at it.
#include "honest.cuh"

extern "C" __global__ void softmax(const float *x, float *y) {
    __shared__ float partial[WARPS];
    int i = blockIdx.x * COLUMNS + threadIdx.x;
    float largest = across_block(x[i], partial, true);
    float below = x[i] - largest;
    float weight = below < -10.0f ? 0.0f : __expf(below);
    y[i] = weight / across_block(weight, partial, false);
}
