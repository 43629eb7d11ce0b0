// N numbers sorted. FORM 0: each thread counts how many come before its number, and puts it there; 1: exchanges, by
// one thread. WRONG 1: equal numbers get one place.
extern "C" __global__ void ranks(const float *x, float *y)
{
#if FORM == 0
    int i = threadIdx.x, rank = 0;
    float v = x[i];
    for (int j = 0; j < N; j++) rank += x[j] < v || (WRONG != 1 && x[j] == v && j < i);
    y[rank] = WRONG == 1 ? v + i : v;
#else
    if (threadIdx.x == 0) {
        float v[N];
        for (int i = 0; i < N; i++) v[i] = x[i];
#pragma unroll
        for (int round = 0; round < N; round++)
#pragma unroll
            for (int i = round & 1; i + 1 < N; i += 2) {
                float least = fminf(v[i], v[i + 1]);
                v[i + 1] = fmaxf(v[i], v[i + 1]);
                v[i] = least;
            }
        for (int i = 0; i < N; i++) y[i] = v[i];
    }
#endif
}
