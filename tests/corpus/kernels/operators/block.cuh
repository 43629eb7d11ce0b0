// Sums and maxima over a block of THREADS threads: by shuffles in each warp, then by the first warp.
#pragma once
struct Sum {
  static __device__ float none() { return 0.0f; }
  static __device__ float both(float a, float b) { return a + b; }
};
struct Max {
  static __device__ float none() { return -__int_as_float(0x7f800000); }
  static __device__ float both(float a, float b) { return fmaxf(a, b); }
};
template <class Fold>
__device__ float over_block(float value) {
  __shared__ float parts[THREADS / 32];
  for (int lanes = 16; lanes > 0; lanes /= 2)
    value = Fold::both(value, __shfl_xor_sync(0xffffffff, value, lanes));
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = Fold::none();
  for (int warp = 0; warp < THREADS / 32; warp++) value = Fold::both(value, parts[warp]);
  return value;
}
