// Tests that come out one way for all real numbers, and on a machine only where nothing is rounded, overflows or
// underflows. Each kernel doubles its input where its test says so.

#define EACH(name, test)                                                \
    extern "C" __global__ void name(const float *x, float *y) {         \
        float v = x[threadIdx.x];                                       \
        y[threadIdx.x] = (test) ? 2 * v : 0.5f;                         \
    }

__device__ __forceinline__ float squares_rounding(float v) { return __fmaf_rn(v, v, -__fmul_rn(v, v)); }

EACH(if_square_is_exact, squares_rounding(v) == 0)
EACH(if_third_is_exact, __fmul_rn(__fdiv_rn(v, 3.0f), 3.0f) == v)
EACH(if_powers_cancel, __expf(v) * __expf(-v) == 1.0f)
EACH(if_nothing_overflows, !isinf(v * 1e38f))
EACH(if_within_limits, fabsf(v * 1e38f) <= 3.402823466e38f)
EACH(if_data_within_limits, v >= -3.402823466e38f && !(v > 3.402823466e38f))
EACH(if_no_power_overflows, !isnan(__expf(v * 100) - __expf(v * 100)))
EACH(if_nothing_underflows, v * 1e-30f * 1e-30f != 0 || v == 0)
EACH(if_no_lane_rounds, __ballot_sync(0xffffffffu, squares_rounding(v) != 0) == 0)

extern "C" __global__ void returns_if_rounded(const float *x, float *y) {
    float v = x[threadIdx.x];
    if (squares_rounding(v) != 0) return;
    y[threadIdx.x] = 2 * v;
}

// Not one of them: whatever a rounded product is, it is below 1 or above 0.
EACH(if_below_or_above, v * v < 1 || v * v > 0)
