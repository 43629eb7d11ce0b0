// Divisions by zero, roots and logarithms out of range, with and without a guard.

#define COUNT 8

// x / z, and 0 where z is 0.
extern "C" __global__ void quotient_or_0(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = z[t] == 0.0f ? 0.0f : x[t] / z[t];
}
extern "C" __global__ void quotient(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = x[t] / z[t];
}
// The same guard from the other side.
extern "C" __global__ void quotient_if_any(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = z[t] != 0.0f ? __fdividef(x[t], z[t]) : 0.0f;
}

// x, by way of a quotient.
extern "C" __global__ void quotient_undone(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = x[t] / z[t] * z[t];
}
extern "C" __global__ void same(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = x[t];
}

// An inverse whose pole is a number of no interest: 1 / (1 / 0 + 3) is 0.
extern "C" __global__ void pole_guarded(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = x[t] / ((z[t] == 37.0f ? 1.0f : 1.0f / (z[t] - 37.0f)) + 3.0f);
}
extern "C" __global__ void pole(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = x[t] / (1.0f / (z[t] - 37.0f) + 3.0f);
}

// What a mask lets through, as a share of how much that is: 0 / 0 with nothing let through.
extern "C" __global__ void share_of_some(const float *x, const int *mask, float *y) {
    int t = threadIdx.x;
    float count = 0.0f;
    for (int i = 0; i < COUNT; i++)
        count += mask[i] ? 1.0f : 0.0f;
    y[t] = mask[t] ? x[t] / count : 0.0f;
}
extern "C" __global__ void share_of_any(const float *x, const int *mask, float *y) {
    int t = threadIdx.x;
    float count = 0.0f;
    for (int i = 0; i < COUNT; i++)
        count += mask[i] ? 1.0f : 0.0f;
    y[t] = (mask[t] ? x[t] : 0.0f) / count;
}

// A softmax over what a mask lets through.
extern "C" __global__ void softmax_of_some(const float *x, const int *mask, float *y) {
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < COUNT; i++)
        sum += mask[i] ? __expf(x[i]) : 0.0f;
    y[t] = sum > 0.0f ? (mask[t] ? __expf(x[t]) : 0.0f) / sum : 0.0f;
}
extern "C" __global__ void softmax_of_any(const float *x, const int *mask, float *y) {
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < COUNT; i++)
        sum += mask[i] ? __expf(x[i]) : 0.0f;
    y[t] = (mask[t] ? __expf(x[t]) : 0.0f) * (1.0f / sum);
}

// A row over its length.
extern "C" __global__ void unit_or_0(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < COUNT; i++)
        sum += x[i] * x[i];
    y[t] = sum == 0.0f ? 0.0f : x[t] * rsqrtf(sum);
}
extern "C" __global__ void unit(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < COUNT; i++)
        sum += x[i] * x[i];
    y[t] = x[t] / sqrtf(sum);
}

// Roots and logarithms of numbers of any sign.
extern "C" __global__ void root_limited(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = sqrtf(fmaxf(x[t], 0.0f));
}
extern "C" __global__ void root(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = sqrtf(x[t]);
}
extern "C" __global__ void log_or_0(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = x[t] > 0.0f ? logf(x[t]) : 0.0f;
}
extern "C" __global__ void log_of_any(const float *x, const float *z, float *y) {
    int t = threadIdx.x;
    y[t] = logf(x[t]);
}
