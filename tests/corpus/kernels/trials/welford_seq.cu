// Mean and variance of 33 values in one pass (Welford) and in two.
// MUT 1, wrong: Squares the distance from the mean before the update.
// MUT 2, wrong: Leaves out the last value.
#ifndef MUT
#define MUT 0
#endif
#define N 33
extern "C" __global__ void ref(const float* x, float* y) {
  float s = 0;
  for (int i = 0; i < N; i++) s += x[i];
  float m = s / N;
  float v = 0;
  for (int i = 0; i < N; i++) {
    float d = x[i] - m;
    v += d * d;
  }
  y[0] = m;
  y[1] = v / (N - 1);
}
extern "C" __global__ void opt(const float* x, float* y) {
  float m = 0, M2 = 0;
#pragma unroll 1
  for (int i = 0; i < N - (MUT == 2); i++) {
    float d = x[i] - m;
    m += d / (i + 1);
#if MUT == 1
    M2 += d * d;
#else
    M2 += d * (x[i] - m);
#endif
  }
  y[0] = m;
  y[1] = M2 / (N - 1);
}
