// Sums over eight tiles: read directly, and through a ring of three buffers that one thread fills with bulk
// copies and a warp reads, with a full and an empty barrier object for each buffer.
// WRONG 1: the consumer does not flip its parity. 2: there is one buffer fewer than barrier objects.
// 3: the consumer gives a buffer back before it has read it. 4: it does not wait for the last tile.
// 5: the producer does not wait for an empty buffer. 6: the producer does not flip its parity.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef FENCE
#define FENCE 0 // The consumer puts a proxy fence between its reads and the next copy.
#endif
#include "bulk.h"
constexpr int TILES = 8, STAGES = 3;
extern "C" __global__ void ref(const float *x, float *y) {
    float sum = 0.0f;
    for (int k = 0; k < TILES; k++) sum += x[k * 32 + (threadIdx.x + k) % 32] * (k + 1);
    y[threadIdx.x] = sum;
}

extern "C" __global__ void opt(const float *x, float *y) {
    __shared__ alignas(16) float buffers[STAGES][32];
    __shared__ u64 full[STAGES], empty[STAGES];
    int t = threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < STAGES; i++) {
            init(&full[i], 1);
            init(&empty[i], 32);
        }
        init_done();
    }
    __syncthreads();
    if (t >= 32) {
        if (t == 32) {
            for (int k = 0; k < TILES; k++) {
                int s = k % STAGES, round = k / STAGES;
                if (WRONG != 5) // missing: 5
                    wait(&empty[s], WRONG == 6 ? 1 : (round & 1) ^ 1); // wrong: 6
                expect(&full[s], 128);
                load(buffers[WRONG == 2 ? k % 2 : s], x + k * 32, 128, &full[s]); // wrong: 2
            }
        }
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < TILES; k++) {
        int s = k % STAGES, round = k / STAGES;
        if (WRONG != 4 || k != TILES - 1) // wrong: 4
            wait(&full[s], WRONG == 1 ? 0 : round & 1); // wrong: 1
        if (WRONG == 3) arrive(&empty[s]); // wrong: 3
        sum += buffers[WRONG == 2 ? k % 2 : s][(t + k) % 32] * (k + 1);
        if (FENCE) fence_proxy();
        if (WRONG != 3) arrive(&empty[s]);
    }
    y[t] = sum;
}
