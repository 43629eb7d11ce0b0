// A barrier in a loop, as many rounds for each thread; and a return before it.
#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void divergence(int n, float *x) {
    __shared__ float part[128];
    int tid = threadIdx.x;
#if MUTANT == 1
    for (int i = tid; i < n; i += blockDim.x) {  // wrong: some threads go round once more
#elif MUTANT == 2
    if (tid < n) {  // wrong: a barrier for some
        int i = tid;
#else
    for (int from = 0; from < n; from += blockDim.x) {
        int i = from + tid;
#endif
        part[tid] = i < n ? x[i] : 0.0f;
        __syncthreads();
        float other = part[blockDim.x - 1 - tid];
        __syncthreads();
        if (i < n) x[i] = other;
    }
    __syncthreads();
    if (tid == 0) x[0] += 1.0f;
}
