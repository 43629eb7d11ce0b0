// Positive numbers go through shared memory, others do not. The load is made for all, and what it finds is
// chosen where the store was made. Launch: 32 threads. MUT 1: it is chosen where the store was not made.
#ifndef MUT
#define MUT 0
#endif

extern "C" __global__ void ref(const float *x, float *y) {
    float v = x[threadIdx.x];
    y[threadIdx.x] = v > 0.0f ? 2.0f * v : v;
}

extern "C" __global__ void fast(const float *x, float *y) {
    __shared__ float kept[32];
    int t = threadIdx.x;
    float v = x[t];
    if (v > 0.0f) kept[t] = v;
    float found = *(volatile float *)&kept[t] * 2.0f;
#if MUT == 1
    y[t] = v > 0.0f ? v : found;  // wrong: the other way round
#else
    y[t] = v > 0.0f ? found : v;
#endif
}
