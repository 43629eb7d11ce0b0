// Online softmax that calls an external exponential instead of inlining one, the way VOLTA
// prepares kernels for symbolic execution. One block of N threads.
#include <math_constants.h>

extern "C" __device__ float __symexpf(float);

extern "C" __global__ void softmax_extern_exp(const float *x, float *y) {
    __shared__ float row[N];
    int i = threadIdx.x;
    row[i] = x[i];
    __syncthreads();

    float largest = -CUDART_INF_F, sum = 0.0f;
    for (int j = 0; j < N; ++j) {
        float before = largest;
        largest = fmaxf(largest, row[j]);
        sum = sum * __symexpf(before - largest) + __symexpf(row[j] - largest);
    }

    y[i] = __symexpf(row[i] - largest) / sum;
}
