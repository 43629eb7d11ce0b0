// As third_party, but warp 1 meets warp 2 before it meets warp 0: nothing orders the write and
// the read. The box is filled beforehand, so that the read finds something in any case.
#include "barrier.cuh"

extern "C" __global__ void third_party(const float *x, float *y) {
    __shared__ float box[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp == 2) box[lane] = 0.0f;
    __syncthreads();
    if (warp == 0) {
        box[lane] = x[lane];
        BARRIER_SYNC(1, 64);
    } else if (warp == 1) {
        BARRIER_SYNC(2, 64);  // wrong: 2 before 1
        BARRIER_SYNC(1, 64);
    } else {
        BARRIER_SYNC(2, 64);
        y[lane] = box[lane];
    }
}
