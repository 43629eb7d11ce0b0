// out[t] = x[chosen index] or 0, for one block of 64 threads. The index is chosen by data among numbers of
// which some lie outside x[64], and a condition on the index (FORM says in what way) keeps the access
// inside. With WRONG, the condition lets one of the bad numbers through.
extern "C" __global__ void chosen_index(const float *x, const int *m, float *out) {
    int t = threadIdx.x;
    float v = 0;
#if FORM == 0 // a ternary on another thread's integer
    int index = m[0] > 0 ? t : -1;
    if (index >= 0 - WRONG) v = x[index];
#elif FORM == 1 // a float decides
    int index = x[t] > 2.0f ? t : 64 + t;
    if (index < 64 + WRONG) v = x[index];
#elif FORM == 2 // short circuit with &&
    int index = m[t] > 3 ? t : -1;
    if (index >= 0 - WRONG && x[index] > 0) v = x[index];
#elif FORM == 3 // short circuit with ||
    int index = m[t] > 3 ? t : -1;
    if (index < 0 - WRONG || x[index] > 0) v = 1;
#elif FORM == 4 // clamped
    int index = m[t] > 3 ? t + 1 : -1;
    v = x[min(max(index, 0 - WRONG), 63)];
#elif FORM == 5 // through shared memory
    __shared__ int chosen[64];
    chosen[t] = m[t] > 0 ? t : -1;
    __syncthreads();
    int index = chosen[63 - t];
    if (index != -1 - WRONG) v = x[index];
#elif FORM == 6 // through a shuffle
    int index = __shfl_xor_sync(~0u, m[t] > 0 ? t : 64, 1);
    if (index < 64 + WRONG) v = x[index];
#elif FORM == 7 // chosen again under the condition
    int index = m[t] > 0 ? t : -1;
    if (index >= 0) {
        index = x[index] > 0 ? t : 99;
        if (index < 64 || WRONG) v = x[index];
    }
#elif FORM == 8 // three ways
    int index = m[t] > 5 ? 64 : m[t] < -5 ? -1 : t;
    if (m[t] <= 5 + WRONG && m[t] >= -5) v = x[index];
#elif FORM == 9 // ranges of an input
    float y = x[t];
    if (y > 2.0f)
        if (y < 2.0f - WRONG * -1) v = x[t + 1000];
#elif FORM == 10 // a square is not negative
    float y = x[t];
    if (y * y < 0.0f + WRONG) v = x[t + 1000];
#elif FORM == 11 // one equation is another's multiple
    if (m[t] == 6 && 2 * m[t] + 1 == 15 - 2 * WRONG) v = x[1000];
#elif FORM == 12 // a store
    if (x[t] + x[63 - t] > 1.0f && 2 * x[t] + 2 * x[63 - t] < 1.0f + 2 * WRONG) out[t + 64] = 1;
#elif FORM == 13 // two elements that do not lie side by side
    if (m[t] > 4 && m[t] < 6 - WRONG * -2) {
        float2 both = *(const float2 *)(x + (m[t] == 5 ? 2 : 3));
        v = both.x + both.y;
    }
#endif
    out[t] = v;
}
