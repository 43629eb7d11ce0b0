// Sums of halves, two of which lie in one word: element i of `x` goes into `totals[i % kinds]`.
// FORM 0: `atomicAdd`; 1: the word around it swapped, as before sm_70; 2: words of 16 bits swapped; 3: both halves of a
// word at once.
// WRONG 1: the other half is added to; 2: each thread also stores to the neighbour; 3: the other half is lost.
#include <cuda_fp16.h>
#ifndef WRONG
#define WRONG 0
#endif

__device__ unsigned short bits(__half x) { return __half_as_ushort(x); }

__device__ void join(__half *place, __half x) {
#if FORM == 1
    bool upper = (size_t)place & 2;
#if WRONG == 1
    upper = !upper;
#endif
    unsigned *word = (unsigned *)((char *)place - ((size_t)place & 2));
    unsigned old = *word, seen;
    do {
        seen = old;
        __half there = __ushort_as_half(upper ? seen >> 16 : seen & 0xffff);
        unsigned next = bits(__hadd(there, x));
#if WRONG == 3
        next = upper ? next << 16 : next;
#else
        next = upper ? (seen & 0xffff) | next << 16 : (seen & 0xffff0000) | next;
#endif
        old = atomicCAS(word, seen, next);
    } while (old != seen);
#elif FORM == 2
    unsigned short *word = (unsigned short *)place;
    unsigned short old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, bits(__hadd(__ushort_as_half(seen), x)));
    } while (old != seen);
#else
    atomicAdd(place, x);
#endif
}

__device__ void join_pair(__half2 *place, __half2 x) {
    unsigned *word = (unsigned *)place;
    unsigned old = *word, seen;
    do {
        seen = old;
        __half2 sum = __hadd2(*(__half2 *)&seen, x);
        old = atomicCAS(word, seen, *(unsigned *)&sum);
    } while (old != seen);
}

extern "C" __global__ void halves(const __half *x, __half *totals, int count, int kinds) {
#if FORM == 3
    for (int i = threadIdx.x; i < count / 2; i += blockDim.x)
        join_pair((__half2 *)totals + i % (kinds / 2), ((const __half2 *)x)[i]);
#else
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        join(totals + i % kinds, x[i]);
#if WRONG == 2
        totals[(i ^ 1) % kinds] = __float2half(0.f);
#endif
    }
#endif
}
