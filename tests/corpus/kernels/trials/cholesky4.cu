// The Cholesky factor of a 4 x 4 matrix: row by row, and by rank-one updates with reciprocal roots
// in four threads.
// MUT 1, wrong: Updates with its own row twice.
// MUT 2, wrong: Scales the diagonal before all have read it.
#ifndef MUT
#define MUT 0
#endif
extern "C" __global__ void ref(const float* A, float* L) {
  float l[4][4] = {};
  for (int j = 0; j < 4; j++) {
    float s = A[j * 4 + j];
    for (int k = 0; k < j; k++) s -= l[j][k] * l[j][k];
    l[j][j] = sqrtf(s);
    for (int i = j + 1; i < 4; i++) {
      float s = A[i * 4 + j];
      for (int k = 0; k < j; k++) s -= l[i][k] * l[j][k];
      l[i][j] = s / l[j][j];
    }
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) L[i * 4 + j] = l[i][j];
}
// right looking with rsqrt
extern "C" __global__ void opt(const float* A, float* L) {
  __shared__ float a[4][5];
  int t = threadIdx.x;
  for (int j = 0; j < 4; j++) a[t][j] = j <= t ? A[t * 4 + j] : 0.f;
  __syncthreads();
  for (int j = 0; j < 4; j++) {
    float r = rsqrtf(a[j][j]);
#if MUT != 2
    __syncthreads();
#endif
    if (t >= j) a[t][j] *= r;
    __syncthreads();
    if (t > j)
      for (int k = j + 1; k <= t; k++) a[t][k] -= a[t][j] * a[MUT == 1 ? t : k][j];
    __syncthreads();
  }
  for (int j = 0; j < 4; j++) L[t * 4 + j] = a[t][j];
}
