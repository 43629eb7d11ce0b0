// Counts of 16 values, added to those that are there. FORM 0: each bin looks at all values; 1: atomics; 2: atomics in
// shared memory. WRONG 1: no atomics; 2: the neighbouring bin.
extern "C" __global__ void histogram(const int *x, unsigned *counts, int n)
{
#if FORM == 0
    if (threadIdx.x < 16) {
        unsigned count = counts[threadIdx.x];
        for (int i = 0; i < n; i++) count += x[i] == threadIdx.x;
        counts[threadIdx.x] = count;
    }
#elif FORM == 1
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#if WRONG == 1
        counts[x[i]] += 1;
#else
        atomicAdd(&counts[x[i]], 1u);
#endif
    }
#else
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[WRONG == 2 ? x[i] ^ 1 : x[i]], 1u);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x] += bins[threadIdx.x];
#endif
}
