// The sum of an array by one CTA of 256 threads, the last steps written out: the fifth reduction of Harris, with
// barriers of the warp.
#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void unrolled(int n, const float *x, float *sums) {
    __shared__ float part[256];
    int tid = threadIdx.x;
    float own = 0.0f;
    for (int i = blockIdx.x * 256 + tid; i < n; i += 256 * gridDim.x) own += x[i];
    part[tid] = own;
    __syncthreads();
#pragma unroll
    for (int s = 128; s > 0; s >>= 1) {
#if MUTANT == 1
        if (tid < s) part[tid] += part[tid + s + 128];  // wrong: beyond the array
#else
        if (tid < s) part[tid] += part[tid + s];
#endif
#if MUTANT == 2
        if (s > 32) __syncthreads();  // missing: the barriers of the last warp
#else
        __syncthreads();
#endif
    }
    if (tid == 0) sums[blockIdx.x] = part[0];
}
