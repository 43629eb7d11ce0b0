// One warp fills a buffer round after round, another empties it. The producer arrives at "full"
// without waiting and waits for "empty" before it writes again; the consumer does the opposite.
#include "barrier.cuh"
#define FULL 1
#define EMPTY 2

extern "C" __global__ void producer_consumer(const float *x, float *y) {
    __shared__ float box[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int round = 0; round < ROUNDS; ++round) {
            if (round > 0) BARRIER_SYNC(EMPTY, 64);
            box[lane] = 2.0f * x[round * 32 + lane];
            BARRIER_ARRIVE(FULL, 64);
        }
    } else {
        for (int round = 0; round < ROUNDS; ++round) {
            BARRIER_SYNC(FULL, 64);
            y[round * 32 + lane] = box[31 - lane];
            if (round < ROUNDS - 1) BARRIER_ARRIVE(EMPTY, 64);
        }
    }
}
