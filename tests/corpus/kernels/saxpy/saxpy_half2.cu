// y = a x + y on half-precision vectors, two elements per thread packed in 32 bits. n is even.
#include <cuda_fp16.h>

extern "C" __global__ void saxpy_half2(int n, float a, const __half2 *x, __half2 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}
