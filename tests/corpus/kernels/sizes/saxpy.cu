// y = a·x + y for any n, one element for each thread of as many CTAs as it takes.
#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if MUTANT == 1
    if (i <= n) y[i] = a * x[i] + y[i];  // wrong: one too far
#elif MUTANT == 2
    y[i] = a * x[i] + y[i];  // missing: the guard
#elif MUTANT == 3
    i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;  // wrong: CTAs overlap
    if (i < n) y[i] = a * x[i] + y[i];
#elif MUTANT == 4
    if (i < n) y[i] = a * x[i] + y[i + 1 < n ? i + 1 : i];  // wrong: reads what the neighbour writes
#else
    if (i < n) y[i] = a * x[i] + y[i];
#endif
}
