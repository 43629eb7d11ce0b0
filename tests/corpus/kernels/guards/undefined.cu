// What a mask makes undefined, and who sees it: -∞ times 0, -∞ less -∞, a mean of nothing, marks that are NaN.

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

static __device__ float masked(const float *x, const int *mask, int i) {
    return mask[i] ? x[i] : __int_as_float(0xff800000);
}

// A maximum with something undefined is the other one; no comparison holds with it.
extern "C" __global__ void relu_of_difference(const float *x, const int *mask, float *y) {
    const int i = threadIdx.x;
    y[i] = fmaxf(masked(x, mask, i) - masked(x, mask, i ^ 1), 0.f);
}

extern "C" __global__ void relu_of_difference_by_branch(const float *x, const int *mask, float *y) {
    const int i = threadIdx.x;
    float d = masked(x, mask, i) - masked(x, mask, i ^ 1);
    if (d < 0.f)
        d = 0.f;
    y[i] = d;
}

// The same for all but 0, whose product with ∞ neither is above 1 nor is not.
extern "C" __global__ void sign_by_above(const float *x, const int *mask, float *y) {
    const int i = threadIdx.x;
    y[i] = x[i] * __int_as_float(0x7f800000) > 1.f ? 1.f : 0.f;
}

extern "C" __global__ void sign_by_not_below(const float *x, const int *mask, float *y) {
    const int i = threadIdx.x;
    y[i] = !(x[i] * __int_as_float(0x7f800000) <= 1.f) ? 1.f : 0.f;
}

extern "C" __global__ void twice(const float *x, const int *mask, float *y) {
    const int i = threadIdx.x;
    y[i] = 2.f * x[i];
}

// What is masked is found out by a product with 0.
extern "C" __global__ void twice_where_finite(const float *x, const int *mask, float *y) {
    const int i = threadIdx.x;
    const float t = masked(x, mask, i);
    y[i] = isnan(t * 0.f) ? 0.f : 2.f * x[i];
}

extern "C" __global__ void twice_where_masked(const float *x, const int *mask, float *y) {
    const int i = threadIdx.x;
    y[i] = mask[i] ? 2.f * x[i] : 0.f;
}

// What is missing is marked by NaN, which sums carry on.
extern "C" __global__ void twice_where_marked(const float *x, const int *mask, float *y) {
    const int i = threadIdx.x;
    const float twice = 2.f * (mask[i] ? x[i] : __int_as_float(0x7fc00000));
    y[i] = isnan(twice) ? 0.f : twice;
}

// The kernel asks itself whether it has divided 0 by 0.
template <int OTHERWISE> static __device__ float quotient(float x) {
    const float q = (x * x - 1.f) / (x - 1.f);
    return isnan(q) ? (float)OTHERWISE : q;
}

extern "C" __global__ void quotient_or_2(const float *x, const int *mask, float *y) {
    y[threadIdx.x] = quotient<2>(x[threadIdx.x]);
}

extern "C" __global__ void quotient_or_5(const float *x, const int *mask, float *y) {
    y[threadIdx.x] = quotient<5>(x[threadIdx.x]);
}
