// softmax_naive whose halves reach the same named barrier on two paths: barriers match by
// number, not by place in the program. The fixed twin of the two mutants beside it.
#include <math_constants.h>

extern "C" __global__ void softmax_naive(const float *x, float *y) {
    __shared__ float row[N];
    int i = threadIdx.x;
    row[i] = x[i];
    if (i < N / 2)
        asm volatile("bar.sync 1, %0; // first half" ::"n"(N) : "memory");
    else
        asm volatile("bar.sync 1, %0; // second half" ::"n"(N) : "memory");

    float largest = -CUDART_INF_F;
    for (int j = 0; j < N; ++j) largest = fmaxf(largest, row[j]);

    float sum = 0.0f;
    for (int j = 0; j < N; ++j) sum += expf(row[j] - largest);

    y[i] = expf(row[i] - largest) / sum;
}
