// Weighted sums of eight rows: read directly, and through a ring of two buffers between a
// producing and a consuming warp, with a full and an empty mbarrier each.
// MUT 1, wrong: The producer does not wait for an empty buffer.
// MUT 2, wrong: The consumer leaves out one wait.
// MUT 3, wrong: The empty barriers expect one arrival more than there are threads.
#ifndef MUT
#define MUT 0
#endif
extern "C" __global__ void ref(const float* x, float* y) {
  int t = threadIdx.x;
  float s = 0;
  for (int k = 0; k < 8; k++) s += x[k * 32 + (t + k) % 32] * (k + 1);
  y[t] = s;
}
typedef unsigned long long u64;
typedef unsigned u32;
__device__ u32 sp(void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void init(u64* b, int n) {
  asm volatile("mbarrier.init.shared.b64 [%0],%1;" ::"r"(sp(b)), "r"(n) : "memory");
}
__device__ void arrive(u64* b) {
  asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s,[%0];}" ::"r"(sp(b)) : "memory");
}
__device__ void wait(u64* b, int ph) {
  u32 ok;
  do {
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p,[%1],%2; selp.u32 %0,1,0,p;}"
                 : "=r"(ok)
                 : "r"(sp(b)), "r"(ph)
                 : "memory");
  } while (!ok);
}
extern "C" __global__ void opt(const float* x, float* y) {
  __shared__ float buf[2][32];
  __shared__ u64 full[2], empty[2];
  int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 2; i++) {
      init(&full[i], 32);
      init(&empty[i], MUT == 3 ? 33 : 32);
    }
  }
  __syncthreads();
  if (t < 32) {  // producer
    for (int k = 0; k < 8; k++) {
      int s = k & 1;
#if MUT != 1
      if (k >= 2) wait(&empty[s], ((k >> 1) & 1) ^ 1);
#endif
      buf[s][t] = x[k * 32 + t];
      arrive(&full[s]);
    }
  } else {
    int l = t - 32;
    float a = 0;
    for (int k = 0; k < 8; k++) {
      int s = k & 1;
#if MUT == 2
      if (k != 5)
#endif
        wait(&full[s], (k >> 1) & 1);
      a += buf[s][(l + k) % 32] * (k + 1);
      arrive(&empty[s]);
    }
    y[l] = a;
  }
}
