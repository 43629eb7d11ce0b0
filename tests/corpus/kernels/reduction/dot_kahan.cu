// out[0] = dot product of N elements with Kahan's compensated summation: over the reals the
// compensation is zero. The intrinsics keep the compiler from noticing.
extern "C" __global__ void dot_kahan(const float *x, const float *y, float *out) {
    float sum = 0.0f, lost = 0.0f;
    for (int j = 0; j < N; ++j) {
        float term = __fsub_rn(__fmul_rn(x[j], y[j]), lost);
        float next = __fadd_rn(sum, term);
        lost = __fsub_rn(__fsub_rn(next, sum), term);
        sum = next;
    }
    out[0] = sum;
}
