// How often each of 16 digits occurs among 64: the counters are cleared by threads, and by one instruction
// (`st.bulk`).
// WRONG 1: no barrier behind it. 2: half of the counters are cleared.
#ifndef WRONG
#define WRONG 0
#endif
#include "../bulk/bulk.h"
extern "C" __global__ void ref(const int *x, int *y) {
    __shared__ int counters[64][16];
    int t = threadIdx.x;
    for (int i = 0; i < 16; i++) counters[t][i] = 0;
    for (int k = 0; k < 4; k++) counters[t][(t * 7 + k * 3) % 16] += x[k * 64 + t];
    __syncthreads();
    int sum = 0;
    if (t < 16)
        for (int i = 0; i < 64; i++) sum += counters[i][t];
    if (t < 16) y[t] = sum;
}

extern "C" __global__ void opt(const int *x, int *y) {
    __shared__ alignas(16) int counters[64][16];
    int t = threadIdx.x;
    if (t == 0)
        asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"l"((u64)sp(counters)),
                     "l"((u64)(WRONG == 2 ? sizeof counters / 2 : sizeof counters)) // wrong: 2
                     : "memory");
    if (WRONG != 1) __syncthreads(); // missing: 1
    for (int k = 0; k < 4; k++) counters[t][(t * 7 + k * 3) % 16] += x[k * 64 + t];
    __syncthreads();
    int sum = 0;
    if (t < 16)
        for (int i = 0; i < 64; i++) sum += counters[i][t];
    if (t < 16) y[t] = sum;
}
