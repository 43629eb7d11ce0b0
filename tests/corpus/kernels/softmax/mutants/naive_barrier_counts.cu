// softmax_naive in which one warp expects fewer threads at the common barrier than the others:
// the same barrier, with two different thread counts. Neither count is reached by the threads
// that give it alone, so in every schedule both counts meet at one barrier. N >= 128.
#include <math_constants.h>

extern "C" __global__ void softmax_naive(const float *x, float *y) {
    __shared__ float row[N];
    int i = threadIdx.x;
    row[i] = x[i];
    if (i < 32)
        asm volatile("bar.sync 1, %0;" ::"n"(N - 32) : "memory");  // wrong: N - 32
    else
        asm volatile("bar.sync 1, %0;" ::"n"(N) : "memory");

    float largest = -CUDART_INF_F;
    for (int j = 0; j < N; ++j) largest = fmaxf(largest, row[j]);

    float sum = 0.0f;
    for (int j = 0; j < N; ++j) sum += expf(row[j] - largest);

    y[i] = expf(row[i] - largest) / sum;
}
