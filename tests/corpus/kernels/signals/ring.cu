// A warp fills a ring in shared memory, another empties it; two counters say how far they are. FORM 0: counters;
// 1: one warp does both. WRONG 1: the producer waits one round too late; 2: the consumer does not wait; 3: no fence
// before a counter; 4: the consumer frees the slot before it has read; 5: the consumer frees nothing.
#define SLOTS 2

extern "C" __global__ void ring(const float *x, float *y, int rounds) {
#if FORM == 1
    float sum = 0.0f;
    for (int round = 0; round < rounds; round++) {
        sum += 2.0f * x[round * 32 + threadIdx.x];
        y[round * 32 + threadIdx.x] = sum;
    }
#else
    __shared__ float slots[SLOTS][32];
    __shared__ int filled, freed;
    if (threadIdx.x == 0) filled = freed = 0;
    __syncthreads();
    int lane = threadIdx.x % 32;
    volatile int *full = &filled, *empty = &freed;
    if (threadIdx.x < 32) {
        for (int round = 0; round < rounds; round++) {
            if (lane == 0) {
#if WRONG == 1
                while (*empty < round - SLOTS) {
#else
                while (*empty < round - SLOTS + 1) {
#endif
                }
                __threadfence_block();
            }
            __syncwarp();
            slots[round % SLOTS][lane] = 2.0f * x[round * 32 + lane];
            __syncwarp();
            if (lane == 0) {
#if WRONG != 3
                __threadfence_block();
#endif
                *full = round + 1;
            }
        }
    } else {
        float sum = 0.0f;
        for (int round = 0; round < rounds; round++) {
            if (lane == 0) {
#if WRONG != 2
                while (*full < round + 1) {
                }
#endif
                __threadfence_block();
            }
            __syncwarp();
#if WRONG == 4
            if (lane == 0) *empty = round + 1;
#endif
            sum += slots[round % SLOTS][lane];
            __syncwarp();
#if WRONG != 4 && WRONG != 5
            if (lane == 0) {
                __threadfence_block();
                *empty = round + 1;
            }
#endif
            y[round * 32 + lane] = sum;
        }
    }
#endif
}
