// Says of itself that it takes blocks of 32 threads, and is right for these.
#include "honest.cuh"

extern "C" __global__ void __launch_bounds__(32) softmax(const float *x, float *y) {
    const float *row = x + blockIdx.x * COLUMNS;
    float sum = 0.0f;
    for (int k = 0; k < 32; ++k) sum += __expf(row[k]);
    y[blockIdx.x * COLUMNS + threadIdx.x] = __expf(row[threadIdx.x]) / sum;
}
