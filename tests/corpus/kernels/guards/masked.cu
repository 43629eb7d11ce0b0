// Rows of which a mask lets some elements through: softmax online by asking for its maximum, means, log-sum-exp.

#define NONE __int_as_float(0xff800000)
constexpr int N = 6;

extern "C" __global__ void softmax_three(const float *x, const int *mask, float *y) {
    float m = NONE, l = 0;
    for (int i = 0; i < N; i++)
        if (mask[i]) m = fmaxf(m, x[i]);
    for (int i = 0; i < N; i++)
        if (mask[i]) l += expf(x[i] - m);
    for (int i = 0; i < N; i++) y[i] = mask[i] ? expf(x[i] - m) / l : 0;
}

template <bool RESCALED> __device__ void asked(const float *x, const int *mask, float &m, float &l) {
    m = NONE, l = 0;
    for (int i = 0; i < N; i++) {
        if (!mask[i]) continue;
        if (x[i] > m) {
            l = (RESCALED ? l * expf(m - x[i]) : l) + 1;
            m = x[i];
        } else {
            l += expf(x[i] - m);
        }
    }
}

extern "C" __global__ void softmax_asked(const float *x, const int *mask, float *y) {
    float m, l;
    asked<true>(x, mask, m, l);
    for (int i = 0; i < N; i++) y[i] = mask[i] ? expf(x[i] - m) / l : 0;
}

extern "C" __global__ void softmax_not_rescaled(const float *x, const int *mask, float *y) {
    float m, l;
    asked<false>(x, mask, m, l);  // wrong: the sum is not rescaled
    for (int i = 0; i < N; i++) y[i] = mask[i] ? expf(x[i] - m) / l : 0;
}

extern "C" __global__ void lse_three(const float *x, const int *mask, float *y) {
    float m = NONE, l = 0;
    for (int i = 0; i < N; i++)
        if (mask[i]) m = fmaxf(m, x[i]);
    for (int i = 0; i < N; i++)
        if (mask[i]) l += expf(x[i] - m);
    y[0] = m == NONE ? NONE : m + logf(l);
}

extern "C" __global__ void lse_asked(const float *x, const int *mask, float *y) {
    float m, l;
    asked<true>(x, mask, m, l);
    y[0] = l > 0 ? m + logf(l) : NONE;
}

extern "C" __global__ void mean_limited(const float *x, const int *mask, float *y) {
    float sum = 0, count = 0;
    for (int i = 0; i < N; i++)
        if (mask[i]) sum += x[i], count += 1;
    y[0] = sum / fmaxf(count, 1);
}

extern "C" __global__ void mean_counted(const float *x, const int *mask, float *y) {
    float sum = 0;
    int count = 0;
    for (int i = 0; i < N; i++) {
        sum += mask[i] ? x[i] : 0;
        count += mask[i] != 0;
    }
    y[0] = count > 0 ? sum / count : 0;
}

extern "C" __global__ void mean_weighed(const float *x, const int *mask, float *y) {
    float sum = 0, count = 0;
    for (int i = 0; i < N; i++) {
        float weight = mask[i] ? 1 : 0;
        sum += weight * x[i];
        count += weight;
    }
    y[0] = count >= 1 ? sum / count : 0;
}

extern "C" __global__ void mean_of_two(const float *x, const int *mask, float *y) {
    float sum = 0, count = 0;
    for (int i = 0; i < N; i++)
        if (mask[i]) sum += x[i], count += 1;
    y[0] = sum / fmaxf(count, 2);  // wrong: one element is halved
}
