// Divisors that cancel, and are zero where a test of something else leaves the division out.

// One of three flags, the second one the other way round.
__device__ float flags(const int *mask) {
    return (mask[0] ? 1.0f : 0.0f) + (mask[1] ? 0.0f : 1.0f) + (mask[2] ? 1.0f : 0.0f);
}
__device__ bool any(const int *mask) { return mask[0] || !mask[1] || mask[2]; }

extern "C" __global__ void share_or_2(const float *x, const int *mask, float *y) {
    float count = flags(mask);
    y[threadIdx.x] = any(mask) ? count / count : 2.0f;
}
extern "C" __global__ void one(const float *x, const int *mask, float *y) { y[threadIdx.x] = 1.0f; }

// Both ask, and have another number where there is nothing.
extern "C" __global__ void scaled_or_next(const float *x, const int *mask, float *y) {
    int t = threadIdx.x;
    float count = flags(mask);
    y[t] = any(mask) ? x[t] * count / count : x[(t + 1) % 8];
}
extern "C" __global__ void plain(const float *x, const int *mask, float *y) { y[threadIdx.x] = x[threadIdx.x]; }

// What is left of one element's softmax.
extern "C" __global__ void alone_or_x(const float *x, const int *mask, float *y) {
    int t = threadIdx.x;
    float e = mask[t] ? __expf(x[t]) : 0.0f;
    y[t] = mask[t] ? e / e : x[t];
}
extern "C" __global__ void alone_or_0(const float *x, const int *mask, float *y) {
    int t = threadIdx.x;
    y[t] = mask[t] ? 1.0f : 0.0f;
}

// A mean that is updated where the mask lets an element through never divides by zero; a quotient does.
extern "C" __global__ void mean_updated(const float *x, const int *mask, float *y) {
    float mean = 0.0f, count = 0.0f;
    for (int i = 0; i < 4; i++)
        if (mask[i]) {
            count += 1.0f;
            mean += (x[i] - mean) / count;
        }
    y[threadIdx.x] = mean;
}
extern "C" __global__ void mean_divided(const float *x, const int *mask, float *y) {
    float sum = 0.0f, count = 0.0f;
    for (int i = 0; i < 4; i++)
        if (mask[i]) {
            count += 1.0f;
            sum += x[i];
        }
    y[threadIdx.x] = sum / count;
}

// A quotient of one sign, for all that a maximum makes of 0 / 0: nobody asks.
extern "C" __global__ void positive_after(const float *x, const int *mask, float *y) {
    int t = threadIdx.x;
    y[t] = fmaxf(x[t] / fabsf(x[t ^ 1]), 0.0f);
}
extern "C" __global__ void positive_before(const float *x, const int *mask, float *y) {
    int t = threadIdx.x;
    y[t] = fmaxf(x[t], 0.0f) / fabsf(x[t ^ 1]);
}
