// A row in reverse: read directly, and through two bulk copies into shared memory that one barrier object
// counts, for 64 threads.
// WRONG 1: the object expects the bytes of one copy. 2: it expects those of three. 3: nobody waits.
// 4: the wait is for the parity of the phase before. 5: the second copy is of 24 bytes.
// 6: its source is 4 bytes off. 7: the bytes are expected without an arrival, behind the only one.
#ifndef WRONG
#define WRONG 0
#endif
#include "bulk.h"
extern "C" __global__ void ref(const float *x, float *y) { y[threadIdx.x] = 2.0f * x[63 - threadIdx.x]; }

extern "C" __global__ void opt(const float *x, float *y) {
    __shared__ alignas(16) float s[64];
    __shared__ u64 full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        init_done();
    }
    __syncthreads();
    if (t == 0) {
#if WRONG == 7
        arrive(&full);
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 256;" ::"r"(sp(&full)) : "memory");
#else
        expect(&full, WRONG == 1 ? 128 : WRONG == 2 ? 384 : 256); // wrong: 1 and 2
#endif
        load(s, x, 128, &full);
        load(s + 32, x + 32 + (WRONG == 6), WRONG == 5 ? 24 : 128, &full); // wrong: 5 and 6
    }
#if WRONG != 3 // missing: 3
    wait(&full, WRONG == 4); // wrong: 4
#endif
    y[t] = 2.0f * s[63 - t];
}
