// The positive ones of N numbers, one after the other. FORM 0: by one thread; 1: a ballot says how many come before.
// WRONG 1: a thread counts itself; 2: equal numbers count.
extern "C" __global__ void pack(const float *x, float *y)
{
#if FORM == 0
    int n = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < N; i++)
            if (x[i] > 0) y[n++] = x[i];
#else
    int i = threadIdx.x;
    float v = i < N ? x[i] : 0;
    unsigned taken = __ballot_sync(~0u, WRONG == 2 ? v >= 0 : v > 0);
    unsigned before = taken & ((WRONG == 1 ? 2u : 1u) << i) - 1;
    if (v > 0) y[__popc(before)] = v;
#endif
}
