// y = a·x for any n and any grid: each thread takes every so manieth element (a grid-stride loop).
#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void stride(int n, float a, const float *x, float *y) {
#if MUTANT == 1
    int step = blockDim.x;  // wrong: the stride of one CTA
#else
    int step = blockDim.x * gridDim.x;
#endif
#if MUTANT == 2
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += step) y[i] = a * x[i];  // wrong: one too far
#else
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) y[i] = a * x[i];
#endif
}
