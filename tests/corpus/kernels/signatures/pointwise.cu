// One element a thread: half an integer (FORM 0, and by a shift FORM 1), the positive part (FORM 2) and a line (FORM 3),
// clamped to -1 and 1 (FORM 4), and to other ends (FORM 5).
#if FORM < 2
__global__ void half(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = FORM == 0 ? x[i] / 2 : (x[i] + (x[i] < 0)) >> 1;
}
#else
__global__ void pointwise(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if FORM == 2
    y[i] = x[i] > 0.f ? x[i] : 0.f;
#elif FORM == 3
    y[i] = 2.f * x[i] + 1.f;
#elif FORM == 4
    y[i] = fminf(fmaxf(x[i], -1.f), 1.f);
#else
    y[i] = fmaxf(fminf(x[i], 1.f), -0.999f);
#endif
}
#endif
