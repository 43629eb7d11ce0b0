// Threads of two warps store to one place, or one reads it, each under a condition on the inputs; the
// conditions exclude each other (FORM says how). With WRONG, they overlap.
extern "C" __global__ void writers(const float *x, const int *m, float *out) {
    int t = threadIdx.x;
#if FORM == 0 // c and not c
    if (t == 0 && m[0] > 0) out[0] = x[1];
    if (t == 32 && !(m[0] > 0 + WRONG)) out[0] = x[2];
#elif FORM == 1 // equal, not equal; nothing was there before
    if (t == 0 && m[0] == 0) out[0] = x[1];
    if (t == 32 && m[0] != 0 + WRONG) out[0] = x[2];
#elif FORM == 2 // each thread its number
    if (m[0] == t >> WRONG) out[0] = x[t];
#elif FORM == 3 // sums
    if (t == 0 && x[0] + x[1] > 1.0f) out[0] = x[2];
    if (t == 33 && 2 * x[0] + 2 * x[1] < 1.0f + 2 * WRONG) out[0] = x[3];
#elif FORM == 4 // ranges side by side
    if (t == 0 && x[0] > 0.0f && x[0] < 1.0f) out[0] = x[2];
    if (t == 33 && x[0] >= 1.0f - 0.5f * WRONG && x[0] < 2.0f) out[0] = x[1];
#elif FORM == 5 // outside and inside of a range
    if (t == 0 && (x[0] < 0.0f || x[0] > 1.0f)) out[0] = x[2];
    if (t == 33 && x[0] >= 0.0f - WRONG && x[0] <= 1.0f) out[0] = x[1];
#elif FORM == 6 // three writers, of which the first and the last are under one condition
    if (t == 0 && m[0] == 0) out[0] = x[2];
    if (t == 33 && m[0] == 1) out[0] = x[1];
    if (t == 34 && m[0] == 2 - 2 * WRONG) out[0] = x[3];
#elif FORM == 7 // a reader and a writer of shared memory
    __shared__ float s[2];
    if (t < 2) s[t] = x[t];
    __syncthreads();
    if (t == 0 && m[0] > 0) s[0] = 1;
    if (t == 40 && m[0] <= 0 + WRONG) out[0] = s[0];
#elif FORM == 8 // two inputs in order
    if (t == 0 && x[0] < x[1]) out[0] = x[2];
    if (t == 1 && x[1] < x[0] + WRONG) out[0] = x[3];
#endif
}
