// What a mask makes undefined: -∞ times 0, and a mean of nothing.

extern "C" __global__ void relu_of_masked(const float *s, const int *mask, float *y) {
    const int i = threadIdx.x;
    const float t = mask[i] ? s[i] : __int_as_float(0xff800000);
    y[i] = fmaxf(t, 0.f);
}

// A slope of 0 below 0: the same for numbers, and NaN for -∞.
extern "C" __global__ void leaky_relu_of_masked(const float *s, const int *mask, float *y) {
    const int i = threadIdx.x;
    const float t = mask[i] ? s[i] : __int_as_float(0xff800000);
    y[i] = fmaxf(t, 0.f) + 0.f * fminf(t, 0.f);
}

template <bool GUARDED> static __device__ float mean(const float *x, const int *mask) {
    float sum = 0.f;
    int count = 0;
    for (int i = 0; i < 2; ++i) {
        if (mask[i]) {
            sum += x[i];
            ++count;
        }
    }
    return GUARDED && count == 0 ? 0.f : sum / (float)count;
}

extern "C" __global__ void guarded_mean(const float *x, const int *mask, float *y) { y[0] = mean<true>(x, mask); }

extern "C" __global__ void mean_of_any(const float *x, const int *mask, float *y) { y[0] = mean<false>(x, mask); }
