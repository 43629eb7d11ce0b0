// tilelang/kernels.py: plain, TileLang 0.1.15, M=32 N=32 K=128 BM=32 BN=32 BK=32 stages=0 threads=128 mutant=3
// python3 tests/corpus/compile_tilelang.py plain_32x32x32_mutant3
#if defined(_MSC_VER) && !defined(__clang__) && _MSC_VER < 1940
#define _tl_orig_alignas alignas
#define alignas(N) _tl_orig_alignas((N) <= 64 ? (N) : 64)
#include <cuda.h>
#undef alignas
#define alignas _tl_orig_alignas
#endif
#include <tl_templates/cuda/reduce.h>
#include <tl_templates/cuda/scan.h>
#include <tl_templates/cuda/ldsm.h>
#include <tl_templates/cuda/threadblock_swizzle.h>
#include <tl_templates/cuda/debug.h>
#ifdef ENABLE_BF16
#include <tl_templates/cuda/cuda_bf16_fallbacks.cuh>
#endif

extern "C" __global__ void product_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C);
extern "C" __global__ void __launch_bounds__(128, 1) product_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  extern __shared__ __align__(1024) uchar buf_dyn_shmem[];
  void* a = ((void*)((char*)buf_dyn_shmem + 0));
  void* b = ((void*)((char*)buf_dyn_shmem + 4096));
  float c[8];
  #pragma unroll
  for (int i = 0; i < 2; ++i) {
    float broadcast_var = 0x0p+0f/*0.000000e+00*/;
    *(float4*)(c + (i * 4)) = make_float4(broadcast_var, broadcast_var, broadcast_var, broadcast_var);
  }
  for (int k = 0; k < 4; ++k) {
    __syncthreads();
    #pragma unroll
    for (int i_1 = 0; i_1 < 2; ++i_1) {
      *(float4*)(((float*)a) + ((i_1 * 512) + (((int)threadIdx.x) * 4))) = *(float4*)(A + ((((i_1 * 2048) + ((((int)threadIdx.x) >> 3) * 128)) + (k * 32)) + ((((int)threadIdx.x) & 7) * 4)));
    }
    #pragma unroll
    for (int i_2 = 0; i_2 < 2; ++i_2) {
      *(float4*)(((float*)b) + ((i_2 * 512) + (((int)threadIdx.x) * 4))) = *(float4*)(B + (((i_2 * 512) + (k * 32)) + (((int)threadIdx.x) * 4)));
    }
    __syncthreads();
    #pragma unroll
    for (int i_3 = 0; i_3 < 8; ++i_3) {
      for (int kk = 0; kk < 32; ++kk) {
        c[i_3] = (c[i_3] + (((float*)a)[(((i_3 * 128) + ((((int)threadIdx.x) >> 5) * 32)) + kk)] * ((float*)b)[((kk * 32) + (((int)threadIdx.x) & 31))]));
      }
    }
  }
  #pragma unroll
  for (int i_4 = 0; i_4 < 8; ++i_4) {
    C[((i_4 * 128) + ((int)threadIdx.x))] = c[i_4];
  }
}
