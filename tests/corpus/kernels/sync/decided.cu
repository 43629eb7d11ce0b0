// Sums of 32 numbers for every thread, unless a number in memory says that there is nothing to do. FORM 0: each adds up
// all; 1: returns before barriers; 2: returns before a shuffle; 3, 4: as many rounds with a barrier, or
// with a shuffle, as the number says; 5: barriers on both sides.
// WRONG 1: each thread asks its own number; 2: asks for less than 0.
extern "C" __global__ void decided(const float *x, const int *n, float *y)
{
    int i = threadIdx.x;
    int todo = n[WRONG == 1 ? i : 0];
#if FORM == 0
    if (todo > 0) {
        float sum = 0;
        for (int j = 0; j < 32; j++) sum += x[j];
        y[i] = sum;
    }
#elif FORM == 1
    __shared__ float part[32];
    if (WRONG == 2 ? todo < 0 : todo <= 0) return;
    part[i] = x[i];
    __syncthreads();
    for (int step = 16; step > 0; step /= 2) {
        if (i < step) part[i] += part[i + step];
        __syncthreads();
    }
    y[i] = part[0];
#elif FORM == 2
    if (WRONG == 2 ? todo < 0 : todo <= 0) return;
    float sum = x[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    y[i] = sum;
#elif FORM == 3
    __shared__ float row[32];
    row[i] = x[i];
    __syncthreads();
    for (int round = 0; round < todo; round++) {
        float left = row[(i + 31) % 32];
        __syncthreads();
        row[i] += left;
        __syncthreads();
    }
    y[i] = row[i];
#elif FORM == 5
    __shared__ float row[32];
    if (todo > 0) {
        row[i] = x[i];
        __syncthreads();
    } else {
        row[i] = 0;
        __syncthreads();
    }
    y[i] = row[31 - i];
#elif FORM == 4
    float a = x[i];
    for (int round = 0; round < todo; round++) a += __shfl_sync(~0u, a, (i + 31) % 32);
    y[i] = a;
#endif
}
