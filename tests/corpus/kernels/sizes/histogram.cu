// A histogram of values below 64, first in shared memory, by atomics.
#ifndef MUTANT
#define MUTANT 0
#endif
#define BINS 64

extern "C" __global__ void histogram(int n, const unsigned *x, unsigned *bins) {
    __shared__ unsigned own[BINS];
#pragma unroll 1
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) own[i] = 0;
#if MUTANT != 1  // missing: the barrier behind the zeros
    __syncthreads();
#endif
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
#if MUTANT == 2
        own[x[i] & (BINS - 1)] += 1;  // wrong: not atomic
#elif MUTANT == 3
        atomicAdd(&own[x[i] & (2 * BINS - 1)], 1);  // wrong: beyond the bins
#else
        atomicAdd(&own[x[i] & (BINS - 1)], 1);
#endif
    }
    __syncthreads();
#if MUTANT == 4
#pragma unroll 1
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) bins[i] += own[i];  // wrong: CTAs meet
#else
#pragma unroll 1
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(&bins[i], own[i]);
#endif
}
