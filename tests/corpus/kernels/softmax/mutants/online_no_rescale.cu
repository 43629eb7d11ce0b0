// softmax_online that forgets to rescale the running sum when the running maximum grows.
#include <math_constants.h>

extern "C" __global__ void softmax_online(const float *x, float *y) {
    __shared__ float row[N];
    int i = threadIdx.x;
    row[i] = x[i];
    __syncthreads();

    float largest = -CUDART_INF_F, sum = 0.0f;
    for (int j = 0; j < N; ++j) {
        largest = fmaxf(largest, row[j]);
        sum = sum + expf(row[j] - largest);  // missing: sum * expf(before - largest)
    }

    y[i] = expf(row[i] - largest) / sum;
}
