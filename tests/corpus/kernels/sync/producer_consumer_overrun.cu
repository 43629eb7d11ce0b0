// producer_consumer without "empty": the producer overwrites the buffer while it is being read.
// One barrier per round keeps the rounds apart, so only the second half of the promise is broken.
#include "barrier.cuh"
#define FULL 1

extern "C" __global__ void producer_consumer(const float *x, float *y) {
    __shared__ float box[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int round = 0; round < ROUNDS; ++round) {
            // missing: if (round > 0) BARRIER_SYNC(EMPTY, 64);
            box[lane] = 2.0f * x[round * 32 + lane];
            BARRIER_SYNC(FULL, 64);
        }
    } else {
        for (int round = 0; round < ROUNDS; ++round) {
            BARRIER_SYNC(FULL, 64);
            y[round * 32 + lane] = box[31 - lane];
        }
    }
}
