// Weighted sums of ten rows: read directly, and through three buffers filled by cp.async.
// MUT 1, wrong: Waits for one copy less.
// MUT 2, wrong: Leaves out the barrier.
// MUT 3, wrong: Does not load the last row.
// MUT 4, wrong: Loads into the buffer that is being read.
#ifndef MUT
#define MUT 0
#endif
extern "C" __global__ void ref(const float* x, const float* w, float* y) {
  for (int i = threadIdx.x; i < 128; i += 32) {
    float s = 0;
    for (int k = 0; k < 10; k++) s += w[k] * x[k * 128 + (i ^ k)];
    y[i] = s;
  }
}
#define ST 3
extern "C" __global__ void opt(const float* x, const float* w, float* y) {
  __shared__ __align__(16) float b[ST][128];
  int t = threadIdx.x;
  float acc[4] = {};
  auto ld = [&](int k) {
    if (k < 10 - (MUT == 3)) {
      unsigned d = (unsigned)__cvta_generic_to_shared(&b[k % ST][t * 4]);
      asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(d), "l"(x + k * 128 + t * 4) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  for (int k = 0; k < ST - 1; k++) ld(k);
  for (int k = 0; k < 10; k++) {
#if MUT == 1
    asm volatile("cp.async.wait_group 2;" ::: "memory");
#else
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
#if MUT != 2
    __syncthreads();
#endif
#if MUT == 4
    ld(k + ST);
#else
    ld(k + ST - 1);
#endif
    for (int j = 0; j < 4; j++) acc[j] += w[k] * b[k % ST][(t + 32 * j) ^ k];
  }
  for (int j = 0; j < 4; j++) y[t + 32 * j] = acc[j];
}
