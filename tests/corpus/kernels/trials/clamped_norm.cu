// Layer normalisation of two rows of 128: the variance as the mean of squared differences, and as
// the mean of squares less the square of the mean, clamped at zero because rounding may make it
// negative.
// MUT 1, wrong: Clamps the mean too.
// MUT 2, wrong: The mean of squares is of one value less.
// MUT 3, wrong: Clamps after the square of the mean was added back.
#ifndef MUT
#define MUT 0
#endif
#define N 128
extern "C" __global__ void ref(const float* x, const float* g, const float* b, float* y) {
  const float* row = x + threadIdx.x * N;
  float s = 0, v = 0;
  for (int i = 0; i < N; i++) s += row[i];
  float mean = s / N;
  for (int i = 0; i < N; i++) v += (row[i] - mean) * (row[i] - mean);
  float r = rsqrtf(v / N + 1e-5f);
  for (int i = 0; i < N; i++) y[threadIdx.x * N + i] = (row[i] - mean) * r * g[i] + b[i];
}
extern "C" __global__ void opt(const float* x, const float* g, const float* b, float* y) {
  __shared__ float sums[4], squares[4];
  int t = threadIdx.x, at = blockIdx.x * N + t;
  float v = x[at], s = v, q = v * v;
  for (int d = 16; d > 0; d >>= 1) {
    s += __shfl_xor_sync(~0u, s, d);
    q += __shfl_xor_sync(~0u, q, d);
  }
  if (t % 32 == 0) {
    sums[t / 32] = s;
    squares[t / 32] = q;
  }
  __syncthreads();
  s = q = 0;
  for (int w = 0; w < 4; w++) {
    s += sums[w];
    q += squares[w];
  }
  float mean = s * (1.0f / N);
#if MUT == 1
  mean = fmaxf(mean, 0.0f);
#endif
  float square = q * (1.0f / (MUT == 2 ? N - 1 : N));
#if MUT == 3
  float var = fmaxf(square - 2 * mean * mean, 0.0f) + mean * mean;
#else
  float var = fmaxf(square - mean * mean, 0.0f);
#endif
  y[at] = (v - mean) * rsqrtf(var + 1e-5f) * g[t] + b[t];
}
