// The highest bits of a number as half and as bfloat16 are not the same bits, nor are numbers that are read from the same 16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void exponent_of_half(const float *x, unsigned *y) {
    y[threadIdx.x] = __half_as_ushort(__float2half_rn(x[threadIdx.x])) >> 13;
}

extern "C" __global__ void exponent_of_bfloat16(const float *x, unsigned *y) {
    y[threadIdx.x] = __bfloat16_as_ushort(__float2bfloat16_rn(x[threadIdx.x])) >> 13;
}

extern "C" __global__ void widen_half(const __half *x, float *y) { y[threadIdx.x] = __half2float(x[threadIdx.x]); }

extern "C" __global__ void widen_bfloat16(const __nv_bfloat16 *x, float *y) {
    y[threadIdx.x] = __bfloat162float(x[threadIdx.x]);
}

extern "C" __global__ void plain(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }

// Half of the warp meets, and then all lanes happen to stand at one instruction.
extern "C" __global__ void lanes_together_by_chance(const float *x, float *y) {
    if (threadIdx.x < 16) __syncwarp(0xffff);
    y[threadIdx.x] = __activemask() == 0xffffffff ? x[threadIdx.x] : -x[threadIdx.x];
}

extern "C" __global__ void lanes_together(const float *x, float *y) {
    if (threadIdx.x < 16) __syncwarp(0xffff);
    __syncwarp();
    y[threadIdx.x] = __activemask() == 0xffffffff ? x[threadIdx.x] : -x[threadIdx.x];
}
