// saxpy with an assertion that holds: the call to __assertfail is there, but no thread makes it.
extern "C" __device__ void __assertfail(const char *condition, const char *file, unsigned line,
                                        const char *function, size_t size)
    __attribute__((noreturn));

extern "C" __global__ void assertion(int n, float a, const float *x, float *y) {
    int i = threadIdx.x;
    if (i >= n) __assertfail("i < n", "assertion.cu", 7, "assertion", 1);
    y[i] = a * x[i] + y[i];
}
