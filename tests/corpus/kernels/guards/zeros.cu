// Divisions that are left out where the divisor is zero, each written by two people: one asks for the sign, the other
// for zero; one leaves the quotient out, the other limits the divisor; and where a sum of squares, a largest size or a
// count is zero, what is divided by it is, too.
constexpr int N = 8;

#define ROW const float *x, const float *z, const int *mask, float *y
#define STORE(value) for (int i = 0; i < N; i++) y[i] = value

__device__ float squares(const float *x) {
    float s = 0;
    for (int i = 0; i < N; i++) s += x[i] * x[i];
    return s;
}

__device__ float largest(const float *x) {
    float most = 0;
    for (int i = 0; i < N; i++) most = fmaxf(most, fabsf(x[i]));
    return most;
}

// A row of length one.
extern "C" __global__ void unit_positive(ROW) { float s = squares(x); STORE(s > 0 ? x[i] / sqrtf(s) : 0); }
extern "C" __global__ void unit_not_zero(ROW) { float s = squares(x); STORE(s != 0 ? x[i] * rsqrtf(s) : x[i]); }
extern "C" __global__ void unit_own(ROW) { float s = squares(x); STORE(x[i] != 0 ? x[i] * rsqrtf(s) : 0); }
extern "C" __global__ void unit_one(ROW) { float s = squares(x); STORE(s != 0 ? x[i] * rsqrtf(s) : 1); }  // wrong at 0

// Divided by the largest size, as quantizers do.
extern "C" __global__ void scaled_positive(ROW) { float a = largest(x); STORE(a > 0 ? rintf(x[i] / (a / 127)) : 0); }
extern "C" __global__ void scaled_by_one(ROW) {
    float a = largest(x), d = a == 0 ? 1 : a / 127;
    STORE(rintf(x[i] / d));
}
extern "C" __global__ void scaled_own(ROW) { float a = largest(x); STORE(x[i] != 0 ? rintf(x[i] * 127 / a) : 0); }
extern "C" __global__ void scaled_all(ROW) { float a = largest(x); STORE(rintf(x[i] * (127 / a))); }  // wrong at 0

// From 0 to 1.
__device__ void ends(const float *x, float &low, float &high) {
    low = high = x[0];
    for (int i = 1; i < N; i++) low = fminf(low, x[i]), high = fmaxf(high, x[i]);
}
extern "C" __global__ void ends_above(ROW) {
    float low, high;
    ends(x, low, high);
    STORE(high > low ? (x[i] - low) / (high - low) : 0);
}
extern "C" __global__ void ends_not_equal(ROW) {
    float low, high;
    ends(x, low, high);
    float d = high - low;
    STORE(d == 0 ? 0 : (x[i] - low) * (1 / d));
}
extern "C" __global__ void ends_by_one(ROW) {
    float low, high;
    ends(x, low, high);
    float d = high - low;
    STORE((x[i] - low) / (d > 0 ? d : 1));
}
extern "C" __global__ void ends_half(ROW) {
    float low, high;
    ends(x, low, high);
    float d = high - low;
    STORE(d == 0 ? 0.5f : (x[i] - low) / d);  // wrong where all are one
}

// The cosine of an angle.
__device__ float both(const float *x, const float *z) {
    float s = 0;
    for (int i = 0; i < N; i++) s += x[i] * z[i];
    return s;
}
extern "C" __global__ void cosine_each(ROW) {
    float a = squares(x), b = squares(z), d = both(x, z);
    y[0] = a > 0 && b > 0 ? d / (sqrtf(a) * sqrtf(b)) : 0;
}
extern "C" __global__ void cosine_product(ROW) {
    float a = squares(x), b = squares(z), d = both(x, z), p = a * b;
    y[0] = p > 0 ? d * rsqrtf(p) : 0;
}
extern "C" __global__ void cosine_either(ROW) {
    float a = squares(x), b = squares(z), d = both(x, z);
    y[0] = a > 0 || b > 0 ? d / (sqrtf(a) * sqrtf(b)) : 0;  // wrong: one of them is not enough
}

// Means of what a mask lets through, and of what has weights.
extern "C" __global__ void mean_counted(ROW) {
    float s = 0;
    int count = 0;
    for (int i = 0; i < N; i++)
        if (mask[i]) s += x[i], count++;
    y[0] = count ? s / count : 0;
}
__device__ float limited(const float *x, const int *mask, float least) {
    float s = 0, count = 0;
    for (int i = 0; i < N; i++) s += mask[i] ? x[i] : 0, count += mask[i] ? 1 : 0;
    return s / fmaxf(count, least);
}
extern "C" __global__ void mean_limited(ROW) { y[0] = limited(x, mask, 1); }
extern "C" __global__ void mean_limited_by_two(ROW) { y[0] = limited(x, mask, 2); }  // wrong: the mean of one is halved
__device__ void weighed(const float *x, const float *z, float &s, float &w) {
    s = w = 0;
    for (int i = 0; i < N; i++) s += fabsf(z[i]) * x[i], w += fabsf(z[i]);
}
extern "C" __global__ void weighed_positive(ROW) {
    float s, w;
    weighed(x, z, s, w);
    y[0] = w > 0 ? s / w : 0;
}
extern "C" __global__ void weighed_not_zero(ROW) {
    float s, w;
    weighed(x, z, s, w);
    y[0] = w != 0 ? s / w : s;
}

// An entropy in which nothing counts as nothing.
extern "C" __global__ void entropy_chosen(ROW) {
    float s = 0;
    for (int i = 0; i < N; i++) s += z[i] > 0 ? -z[i] * logf(z[i]) : 0;
    y[0] = s;
}
__device__ float entropy(const float *z, float nothing) {
    float s = 0;
    for (int i = 0; i < N; i++) {
        float p = z[i] > 0 ? z[i] : nothing;
        s -= p * logf(p);
    }
    return s;
}
extern "C" __global__ void entropy_by_one(ROW) { y[0] = entropy(z, 1); }
extern "C" __global__ void entropy_by_two(ROW) { y[0] = entropy(z, 2); }  // wrong: 2 log 2 is not nothing
