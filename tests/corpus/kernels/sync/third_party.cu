// Warp 0 writes; warps 0 and 1 meet; warps 1 and 2 meet; warp 2 reads. Warps 0 and 2 never meet,
// but the order through warp 1 is an order.
#include "barrier.cuh"

extern "C" __global__ void third_party(const float *x, float *y) {
    __shared__ float box[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp == 0) {
        box[lane] = x[lane];
        BARRIER_SYNC(1, 64);
    } else if (warp == 1) {
        BARRIER_SYNC(1, 64);
        BARRIER_SYNC(2, 64);
    } else {
        BARRIER_SYNC(2, 64);
        y[lane] = box[lane];
    }
}
