// Two warps wait at the same two barriers in opposite order: each waits for the other for ever.
#include "barrier.cuh"

extern "C" __global__ void two_barriers(const float *x, float *y) {
    int i = threadIdx.x;
    if (i < 32) {
        BARRIER_SYNC(1, 64);
        BARRIER_SYNC(2, 64);
    } else {
        BARRIER_SYNC(2, 64);  // wrong: 2 before 1
        BARRIER_SYNC(1, 64);
    }
    y[i] = x[i];
}
