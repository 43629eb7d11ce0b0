// Layer norm of 64 values: two passes with one thread, and Welford's means merged by shuffles in
// two warps, and through shared memory.
// MUT 1, wrong: The merged sum of squares weighs the distance of the means by one side's share
// alone.
// MUT 2, wrong: Divides by n - 1 where the reference divides by n.
// MUT 3, wrong: Reads the warps' results without a barrier.
#ifndef MUT
#define MUT 0
#endif
#define N 64
extern "C" __global__ void ref(const float* x, const float* g, const float* b, float* y) {
  float s = 0;
  for (int i = 0; i < N; i++) s += x[i];
  float m = s / N;
  float v = 0;
  for (int i = 0; i < N; i++) {
    float d = x[i] - m;
    v += d * d;
  }
  float r = rsqrtf(v / N + 1e-5f);
  for (int i = 0; i < N; i++) y[i] = (x[i] - m) * r * g[i] + b[i];
}
struct W {
  float m, M2;
  float n;
};
__device__ W comb(W a, W b) {
  float n = a.n + b.n;
  float d = b.m - a.m;
  W r;
  r.n = n;
  r.m = a.m + d * (b.n / n);
#if MUT == 1
  r.M2 = a.M2 + b.M2 + d * d * (b.n / n);
#else
  r.M2 = a.M2 + b.M2 + d * d * (a.n * b.n / n);
#endif
  return r;
}
extern "C" __global__ void opt(const float* x, const float* g, const float* b, float* y) {
  __shared__ float sm[2], sM[2];
  int t = threadIdx.x;
  W w{x[t], 0.f, 1.f};
  for (int o = 16; o; o >>= 1) {
    W q;
    q.m = __shfl_xor_sync(~0u, w.m, o);
    q.M2 = __shfl_xor_sync(~0u, w.M2, o);
    q.n = __shfl_xor_sync(~0u, w.n, o);
    w = comb(w, q);
  }
  if (t % 32 == 0) {
    sm[t / 32] = w.m;
    sM[t / 32] = w.M2;
  }
#if MUT != 3
  __syncthreads();
#endif
  W a{sm[0], sM[0], 32.f}, c{sm[1], sM[1], 32.f};
  w = comb(a, c);
#if MUT == 2
  float r = rsqrtf(w.M2 / (N - 1) + 1e-5f);
#else
  float r = rsqrtf(w.M2 / N + 1e-5f);
#endif
  y[t] = (x[t] - w.m) * r * g[t] + b[t];
}
