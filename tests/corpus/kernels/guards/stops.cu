// out[t] = x[t] or so, in a kernel that may stop itself, or prints (FORM says how). With WRONG, there are
// inputs for which it does.
extern "C" __device__ void __assertfail(const char *condition, const char *file, unsigned line,
                                        const char *function, size_t size)
    __attribute__((noreturn));
#define ASSERT(condition) ((condition) ? (void)0 : __assertfail(#condition, "stops.cu", __LINE__, "stops", 1))

extern "C" __global__ void stops(const float *x, const int *m, float *out) {
    int t = threadIdx.x;
    int i = m[t] > 0 ? t : 63 - t;
#if FORM == 0 // an assertion on a chosen index
    ASSERT(i >= 0 + WRONG);
#elif FORM == 1 // a trap
    if (i > 63 - WRONG) __trap();
#elif FORM == 2 // conditions inside one another
    if (x[t] > 3.0f) {
        if (x[t] < 2.0f + 2 * WRONG) __trap();
    }
#elif FORM == 3 // an assertion, and an access that it keeps inside
    int j = m[t] > 7 ? 64 + t : t;
    ASSERT(WRONG || j < 64);
    i = j;
#elif FORM == 4 // prints
    if (x[t] > 3.0f) printf("%d\n", t);
#elif FORM == 5 // both ways end
    if (x[t] > 3.0f) {
        ASSERT(x[t] > 2.0f);
    } else {
        ASSERT(x[t] < 4.0f - 3 * WRONG);
    }
#endif
    out[t] = x[i];
}
