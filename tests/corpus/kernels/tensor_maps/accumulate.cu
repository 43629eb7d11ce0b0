// Four rows added to one, and the sum doubled: directly, and by bulk copies that add rows from two buffers and are waited
// for before the sum is read.
// WRONG 1: the last group is not waited for. 2: only the reading of the last group is waited for. 3: no barrier
// behind the wait.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef UNROLL
#define UNROLL 4 // Each round has instructions of its own.
#endif
#include "../bulk/bulk.h"
extern "C" __global__ void ref(const float *x, float *y) {
    int t = threadIdx.x;
    float sum = y[t];
    for (int k = 0; k < 4; k++) sum += x[k * 64 + t];
    y[t] = 2.0f * sum;
}

extern "C" __global__ void opt(const float *x, float *y) {
    __shared__ alignas(128) float rows[2][64];
    int t = threadIdx.x;
#pragma unroll UNROLL
    for (int k = 0; k < 4; k++) {
        if (t == 0) wait_read<1>();
        __syncthreads();
        rows[k & 1][t] = x[k * 64 + t];
        fence_proxy();
        __syncthreads();
        if (t == 0) {
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" ::"l"(y),
                         "r"(sp(rows[k & 1]))
                         : "memory");
            commit();
        }
    }
    if (t == 0) {
        if (WRONG == 1) wait_all<1>(); // wrong: 1
        else if (WRONG == 2) wait_read<0>(); // wrong: 2
        else wait_all<0>();
    }
    if (WRONG != 3) __syncthreads(); // missing: 3
    y[t] = 2.0f * y[t];
}
