// A sum of squares over all blocks of a grid. serial: one thread. FORM 0: each block stores its sum, and the last one
// adds them up. FORM 1 to 3: each block adds its sum to one word, and the last one reads that as volatile, by adding
// nothing, or by exchanging it. WRONG 1: the last block does not acquire what the others have done.
#ifndef WRONG
#define WRONG 0
#endif
extern "C" __global__ void serial(const float *x, float *sums, unsigned *count, float *y, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < n; i++) sum += x[i] * x[i];
        y[0] = sum;
    }
}
extern "C" __global__ void last(const float *x, float *sums, unsigned *count, float *y, int n) {
    float sum = 0.0f;
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += 32 * gridDim.x) sum += x[i] * x[i];
    for (int o = 16; o; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
    if (threadIdx.x) return;
    if (FORM == 0) sums[blockIdx.x] = sum;
    else atomicAdd(sums, sum);
    __threadfence();
    if (atomicAdd(count, 1u) != gridDim.x - 1) return;
    if (WRONG != 1) __threadfence();
    float all = 0.0f;
    if (FORM == 0)
        for (int i = 0; i < gridDim.x; i++) all += sums[i];
    else if (FORM == 1) all = *(volatile float *)sums;
    else if (FORM == 2) all = atomicAdd(sums, 0.0f);
    else all = atomicExch(sums, 0.0f);
    y[0] = all;
    *count = 0;
}
