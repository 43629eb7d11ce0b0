// Two warps pass the same two barriers in the same order, each on its own path.
#include "barrier.cuh"

extern "C" __global__ void two_barriers(const float *x, float *y) {
    int i = threadIdx.x;
    float value = x[i];
    if (i < 32) {
        BARRIER_SYNC(1, 64);
        BARRIER_SYNC(2, 64);
        value = value + 1.0f;
    } else {
        BARRIER_SYNC(1, 64);
        BARRIER_SYNC(2, 64);
        value = value - 1.0f;
    }
    y[i] = value;
}
