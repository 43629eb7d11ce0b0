// Right but for its rounding: everything goes through half floats. Over the real numbers it is a softmax.
#include "honest.cuh"

__device__ __forceinline__ float rounded(float value) {
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}

extern "C" __global__ void softmax(const float *x, float *y) {
    __shared__ float partial[WARPS];
    int i = blockIdx.x * COLUMNS + threadIdx.x;
    y[i] = rounded(honest(rounded(x[i]), partial));
}
