// Prefix sums of one CTA of any size (Hillis and Steele).
#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void scan(int n, const float *x, float *y) {
    extern __shared__ float part[];
    int tid = threadIdx.x;
#if MUTANT == 1
    // wrong: one buffer, and one barrier for each round
    part[tid] = tid < n ? x[tid] : 0.0f;
    __syncthreads();
    for (int by = 1; by < blockDim.x; by *= 2) {
        if (tid >= by) part[tid] += part[tid - by];
        __syncthreads();
    }
    if (tid < n) y[tid] = part[tid];
#elif MUTANT == 2
    // one buffer, and two barriers for each round
    part[tid] = tid < n ? x[tid] : 0.0f;
    __syncthreads();
    for (int by = 1; by < blockDim.x; by *= 2) {
        float other = tid >= by ? part[tid - by] : 0.0f;
        __syncthreads();
        part[tid] += other;
        __syncthreads();
    }
    if (tid < n) y[tid] = part[tid];
#else
    // two buffers
    int to = 0, from = 1;
    part[tid] = tid < n ? x[tid] : 0.0f;
    __syncthreads();
    for (int by = 1; by < blockDim.x; by *= 2) {
        to = 1 - to;
        from = 1 - from;
#if MUTANT == 3
        part[to * blockDim.x + tid] = part[from * blockDim.x + tid] + part[from * blockDim.x + tid - by];  // no guard
#else
        if (tid >= by)
            part[to * blockDim.x + tid] = part[from * blockDim.x + tid] + part[from * blockDim.x + tid - by];
        else
            part[to * blockDim.x + tid] = part[from * blockDim.x + tid];
#endif
#if MUTANT != 4  // missing: the barrier of each round
        __syncthreads();
#endif
    }
    if (tid < n) y[tid] = part[to * blockDim.x + tid];
#endif
}
