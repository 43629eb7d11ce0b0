// y = a x + y on half-precision vectors, one fused multiply-add per thread.
#include <cuda_fp16.h>

extern "C" __global__ void saxpy_half(int n, float a, const __half *x, __half *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(__float2half(a), x[i], y[i]);
}
