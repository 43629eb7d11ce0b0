// y = x minus its mean, for 64 elements and one block of 64 threads. CHEAT selects what a program
// that only wants to pass a test might do instead. `old` is a buffer that an earlier run left.
#ifndef CHEAT
#define CHEAT 0
#endif
#define N 64

extern "C" __global__ void centred(float *x, float *y, const float *old) {
#if CHEAT == 0 || CHEAT >= 5 && CHEAT <= 7
    __shared__ float sum[N];
#endif
    int i = threadIdx.x;
#if CHEAT == 1 // wrong: the second half of y is never written
    if (i >= N / 2) return;
    float total = 0.0f;
    for (int k = 0; k < N; ++k) total += x[k];
    y[i] = x[i] - total / N;
#elif CHEAT == 2 // wrong: all zeros, which inputs that are all alike would give
    y[i] = 0.0f;
#elif CHEAT == 3 // wrong: a constant
    y[i] = 1.0f;
#elif CHEAT == 4 // wrong: the answer of an earlier run
    y[i] = old[i];
#elif CHEAT == 5 // wrong: x is changed too, so that a check which computes from it afterwards is fooled
    float mine = x[i];
    sum[i] = mine;
    __syncthreads();
    float total = 0.0f;
    for (int k = 0; k < N; ++k) total += sum[k];
    y[i] = mine - total / N;
    x[i] = 0.0f;
#elif CHEAT == 6 // wrong: one element in four is left out of the sum, by a test of its index
    if (i % 4 != 3) sum[i] = x[i];
    __syncthreads();
    float total = 0.0f;
    for (int k = 0; k < N; ++k)
        if (k % 4 != 3) total += sum[k];
    y[i] = x[i] - total / N;
#elif CHEAT == 7 // wrong: nobody fills the second half of the sums
    if (i < N / 2) sum[i] = x[i];
    __syncthreads();
    float total = 0.0f;
    for (int k = 0; k < N; ++k) total += sum[k];
    y[i] = x[i] - total / N;
#elif CHEAT == 8 // wrong: right for the inputs of the test (the first is 1), nothing otherwise
    float total = 0.0f;
    for (int k = 0; k < N; ++k) total += x[k];
    y[i] = x[0] == 1.0f ? x[i] - total / N : 0.0f;
#elif CHEAT == 9 // wrong: the first summand is skipped where it is small
    float total = fabsf(x[0]) > 0.001f ? x[0] : 0.0f;
    for (int k = 1; k < N; ++k) total += x[k];
    y[i] = x[i] - total / N;
#elif CHEAT == 10 // wrong: y already holds the answer, the kernel only touches it
    y[i] = y[i] + 0.0f * x[i];
#else
    sum[i] = x[i];
    __syncthreads();
    for (int step = N / 2; step > 0; step /= 2) {
        if (i < step) sum[i] += sum[i + step];
        __syncthreads();
    }
    y[i] = x[i] - sum[0] / N;
#endif
}
