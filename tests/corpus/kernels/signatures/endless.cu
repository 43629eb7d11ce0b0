// Loops that never end: one that leaves only for a NaN, behind which the output stays (FORM 0), and one whose counter
// stands still (FORM 1).
__global__ void endless(const float* x, float* y, int n) {
    int i = threadIdx.x;
    y[i] = x[i];
#if FORM == 0
    while (true) {
        asm volatile("");
        if (x[0] != x[0]) break;
    }
    y[i] = 0.f;
#else
    volatile int k = 0;
    while (k < n) y[i] += 1.f;
#endif
}
