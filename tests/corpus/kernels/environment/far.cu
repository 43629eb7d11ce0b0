// A user's own branch on the number that the inlined sinf branches on, and code below it.
extern "C" __global__ void plain(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = sinf(x[t]);
}

extern "C" __global__ void marked(const float *x, float *y) {
    int t = threadIdx.x;
    float s = sinf(x[t]);
    y[t] = fabsf(x[t]) >= 105615.0f ? 2.0f : s;
}

extern "C" __global__ void marked_outside(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = sinf(x[t]);
    if (fabsf(x[t]) >= 105615.0f)
        y[t + 1000] = 1.0f;
}

extern "C" __global__ void marked_race(const float *x, float *y) {
    int t = threadIdx.x;
    float s = sinf(x[t]);
    y[t] = s;
    if (fabsf(x[t]) >= 105615.0f)
        y[0] = s;
}

extern "C" __global__ void plain_fmod(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = fmodf(x[t], 3.0f + y[t] * y[t]);
}

extern "C" __global__ void marked_fmod_outside(const float *x, float *y) {
    int t = threadIdx.x;
    float d = 3.0f + y[t] * y[t];
    y[t] = fmodf(x[t], d);
    if (fabsf(x[t]) > 8388608.0f * fabsf(d))
        y[t + 1000] = 1.0f;
}
