// softmax_naive in which the two halves of the block wait at different barriers, each for all
// N threads: neither barrier ever fills.
#include <math_constants.h>

extern "C" __global__ void softmax_naive(const float *x, float *y) {
    __shared__ float row[N];
    int i = threadIdx.x;
    row[i] = x[i];
    if (i < N / 2)
        asm volatile("bar.sync 1, %0;" ::"n"(N) : "memory");
    else
        asm volatile("bar.sync 2, %0;" ::"n"(N) : "memory");  // wrong: 2

    float largest = -CUDART_INF_F;
    for (int j = 0; j < N; ++j) largest = fmaxf(largest, row[j]);

    float sum = 0.0f;
    for (int j = 0; j < N; ++j) sum += expf(row[j] - largest);

    y[i] = expf(row[i] - largest) / sum;
}
