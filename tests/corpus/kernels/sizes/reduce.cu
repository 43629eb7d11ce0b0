// Sums of an array of any length, one for each CTA: the first five reductions of Harris, *Optimizing Parallel
// Reduction in CUDA*.
#ifndef MUTANT
#define MUTANT 0
#endif
#ifndef VERSION
#define VERSION 1
#endif

extern "C" __global__ void reduce(int n, const float *x, float *sums) {
    extern __shared__ float part[];
    int tid = threadIdx.x;
#if VERSION >= 4
    int i = blockIdx.x * (blockDim.x * 2) + tid;
    float own = i < n ? x[i] : 0.0f;
#if MUTANT == 4
    own += x[i + blockDim.x];  // missing: the guard
#else
    if (i + blockDim.x < n) own += x[i + blockDim.x];
#endif
    part[tid] = own;
#else
    int i = blockIdx.x * blockDim.x + tid;
#if MUTANT == 4
    part[tid] = x[i];  // missing: the guard
#else
    part[tid] = i < n ? x[i] : 0.0f;
#endif
#endif
#if MUTANT != 1  // missing: the barrier behind the loads
    __syncthreads();
#endif
#if VERSION == 1
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) part[tid] += part[tid + s];
#elif VERSION == 2
    for (int s = 1; s < blockDim.x; s *= 2) {
        int at = 2 * s * tid;
        if (at < blockDim.x) part[at] += part[at + s];
#else
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
#if MUTANT == 3
        if (tid <= s) part[tid] += part[tid + s];  // wrong: one thread too many
#else
        if (tid < s) part[tid] += part[tid + s];
#endif
#endif
#if MUTANT != 2  // missing: the barrier of each round
        __syncthreads();
#endif
    }
#if MUTANT == 5
    sums[blockIdx.x] = part[tid];  // wrong: all threads write
#else
    if (tid == 0) sums[blockIdx.x] = part[0];
#endif
}
