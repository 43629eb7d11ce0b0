// Four tiles squared: stored directly, and written to two buffers in shared memory that bulk copies store.
// WRONG 1: no proxy fence between writing a buffer and its copy. 2: one group too many may still read.
// 3: no barrier between writing and the copy. 4: the thread returns before its last copies have read.
// 5: the result is read again behind a wait for reads only.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef LATE
#define LATE 0 // The fence is executed by the thread that copies, behind the barrier.
#endif
#include "bulk.h"
extern "C" __global__ void ref(const float *x, float *y, float *z) {
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++) y[k * 64 + t] = x[k * 64 + t] * x[k * 64 + t];
    if (t == 0) z[0] = x[200] * x[200] + 1.0f;
}

extern "C" __global__ void opt(const float *x, float *y, float *z) {
    __shared__ alignas(128) float buffers[2][64];
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++) {
        if (t == 0) wait_read<WRONG == 2 ? 2 : 1>(); // wrong: 2
        __syncthreads();
        buffers[k & 1][t] = x[k * 64 + t] * x[k * 64 + t];
        if (WRONG != 1 && !LATE) fence_proxy(); // missing: 1
        if (WRONG != 3) __syncthreads(); // missing: 3
        if (t == 0) {
            if (LATE) fence_proxy();
            store(y + k * 64, buffers[k & 1], 256);
            commit();
        }
    }
    if (t == 0) {
        if (WRONG == 5) wait_read<0>(); // wrong: 5
        else if (WRONG != 4) wait_all<0>(); // missing: 4
        z[0] = WRONG == 4 ? x[200] * x[200] + 1.0f : y[200] + 1.0f;
    }
}
