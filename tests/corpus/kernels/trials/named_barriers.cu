// A function of eight rows of pairs: directly, and with two producing warps and a consuming one
// that meet at named barriers.
// MUT 2, wrong: The producers arrive with another count.
// MUT 3, wrong: The consumer reads again after it gave the buffer back.
// MUT 4, wrong: Takes one element of the pair twice.
#ifndef MUT
#define MUT 0
#endif
__device__ __forceinline__ float work(float a, float b) { return fmaxf(a * b, a + b); }
extern "C" __global__ void ref(const float* x, float* y) {
  int t = threadIdx.x;
  for (int k = 0; k < 8; k++) y[k * 32 + t] = work(x[k * 64 + 2 * t], x[k * 64 + 2 * t + 1]);
}
// warps 0,1 produce (64 values), warp 2 consumes. bar 1: full, bar 2: empty
extern "C" __global__ void opt(const float* x, float* y) {
  __shared__ float buf[64];
  int t = threadIdx.x;
  if (t < 64) {
    for (int k = 0; k < 8; k++) {
      if (k) asm volatile("bar.sync 2,96;" ::: "memory");
      buf[t] = x[k * 64 + t];
#if MUT == 2
      asm volatile("bar.arrive 1,64;" ::: "memory");
#else
      asm volatile("bar.arrive 1,96;" ::: "memory");
#endif
    }
  } else {
    int l = t - 64;
    for (int k = 0; k < 8; k++) {
      asm volatile("bar.sync 1,96;" ::: "memory");
      float a = buf[2 * l], b = buf[MUT == 4 ? 2 * l : 2 * l + 1];
#if MUT != 3
      if (k < 7) asm volatile("bar.arrive 2,96;" ::: "memory");
      y[k * 32 + l] = work(a, b);
#else
      if (k < 7) asm volatile("bar.arrive 2,96;" ::: "memory");
      y[k * 32 + l] = work(a, buf[2 * l + 1]);
      asm volatile("" ::: "memory");
      y[k * 32 + l] = work(buf[2 * l], b);
#endif
    }
  }
}
