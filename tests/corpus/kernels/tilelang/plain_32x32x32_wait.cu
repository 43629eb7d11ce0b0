// tilelang/kernels.py: plain, TileLang 0.1.15, M=32 N=32 K=128 BM=32 BN=32 BK=32 stages=2 threads=128 mutant=0; edited: wait
// python3 tests/corpus/compile_tilelang.py plain_32x32x32_wait
#if defined(_MSC_VER) && !defined(__clang__) && _MSC_VER < 1940
#define _tl_orig_alignas alignas
#define alignas(N) _tl_orig_alignas((N) <= 64 ? (N) : 64)
#include <cuda.h>
#undef alignas
#define alignas _tl_orig_alignas
#endif
#include <tl_templates/cuda/copy.h>
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
  void* b = ((void*)((char*)buf_dyn_shmem + 8192));
  float c[8];
  #pragma unroll
  for (int i = 0; i < 2; ++i) {
    float broadcast_var = 0x0p+0f/*0.000000e+00*/;
    *(float4*)(c + (i * 4)) = make_float4(broadcast_var, broadcast_var, broadcast_var, broadcast_var);
  }
  #pragma unroll
  for (int i_1 = 0; i_1 < 2; ++i_1) {
    tl::cp_async_gs<16>((&(((float*)a)[((i_1 * 512) + (((int)threadIdx.x) * 4))])), (&(A[(((i_1 * 2048) + ((((int)threadIdx.x) >> 3) * 128)) + ((((int)threadIdx.x) & 7) * 4))])));
  }
  #pragma unroll
  for (int i_2 = 0; i_2 < 2; ++i_2) {
    tl::cp_async_gs<16>((&(((float*)b)[((i_2 * 512) + (((int)threadIdx.x) * 4))])), (&(B[((i_2 * 512) + (((int)threadIdx.x) * 4))])));
  }
  tl::cp_async_commit();
  for (int k = 0; k < 3; ++k) {
    __syncthreads();
    #pragma unroll
    for (int i_3 = 0; i_3 < 2; ++i_3) {
      tl::cp_async_gs<16>((&(((float*)a)[(((((k + 1) & 1) * 1024) + (i_3 * 512)) + (((int)threadIdx.x) * 4))])), (&(A[(((((i_3 * 2048) + ((((int)threadIdx.x) >> 3) * 128)) + (k * 32)) + ((((int)threadIdx.x) & 7) * 4)) + 32)])));
    }
    #pragma unroll
    for (int i_4 = 0; i_4 < 2; ++i_4) {
      tl::cp_async_gs<16>((&(((float*)b)[(((((k + 1) & 1) * 1024) + (i_4 * 512)) + (((int)threadIdx.x) * 4))])), (&(B[((((k * 1024) + (i_4 * 512)) + (((int)threadIdx.x) * 4)) + 1024)])));
    }
    tl::cp_async_commit();
    tl::cp_async_wait<2>();  // wrong: one group too many may be open
    __syncthreads();
    #pragma unroll
    for (int i_5 = 0; i_5 < 8; ++i_5) {
      for (int kk = 0; kk < 32; ++kk) {
        c[i_5] = (c[i_5] + (((float*)a)[(((((k & 1) * 1024) + (i_5 * 128)) + ((((int)threadIdx.x) >> 5) * 32)) + kk)] * ((float*)b)[((((k & 1) * 1024) + (kk * 32)) + (((int)threadIdx.x) & 31))]));
      }
    }
  }
  tl::cp_async_wait<0>();
  __syncthreads();
  #pragma unroll
  for (int i_6 = 0; i_6 < 8; ++i_6) {
    for (int kk_1 = 0; kk_1 < 32; ++kk_1) {
      c[i_6] = (c[i_6] + (((float*)a)[((((i_6 * 128) + ((((int)threadIdx.x) >> 5) * 32)) + kk_1) + 1024)] * ((float*)b)[(((kk_1 * 32) + (((int)threadIdx.x) & 31)) + 1024)]));
    }
  }
  #pragma unroll
  for (int i_7 = 0; i_7 < 8; ++i_7) {
    C[((i_7 * 128) + ((int)threadIdx.x))] = c[i_7];
  }
}
