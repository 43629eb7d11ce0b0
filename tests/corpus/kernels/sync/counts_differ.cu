// Four warps meet at one barrier, one of them expecting 96 threads and three expecting 128. No
// count is reached by the warps that name it, so every schedule mixes the two.
#include "barrier.cuh"

extern "C" __global__ void counts(const float *x, float *y) {
    __shared__ float row[128];
    int i = threadIdx.x;
    row[i] = x[i];
    if (i < 32)
        BARRIER_SYNC(1, 96);  // wrong: 96
    else
        BARRIER_SYNC(1, 128);
    y[i] = row[127 - i];
}
