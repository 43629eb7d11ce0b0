// Sums of four segments of 61 values, one of them empty: serially, and by a segmented scan in
// shared memory.
// MUT 1, wrong: Leaves out the last value.
// MUT 2, wrong: Gives an empty segment its neighbour's sum.
// MUT 3, wrong: Writes the round's results before all have read.
#ifndef MUT
#define MUT 0
#endif
extern "C" __global__ void ref(const float* x, const int* off, float* y) {
  int s = threadIdx.x;
  float a = 0;
  for (int i = off[s]; i < off[s + 1]; i++) a += x[i];
  y[s] = a;
}
// segmented inclusive scan with head flags in shared memory
extern "C" __global__ void opt(const float* x, const int* off, float* y) {
  __shared__ float v[64];
  __shared__ int h[64];
  int t = threadIdx.x;
  v[t] = t < off[4] - (MUT == 1) ? x[t] : 0.f;
  h[t] = 0;
  __syncthreads();
  if (t < 4 && off[t] < off[t + 1]) h[off[t]] = 1;
  __syncthreads();
  for (int o = 1; o < 64; o <<= 1) {
    float a = v[t];
    int f = h[t];
    if (!f && t >= o) {
      a += v[t - o];
      f |= h[t - o];
    }
#if MUT != 3
    __syncthreads();
#endif
    v[t] = a;
    h[t] = f;
    __syncthreads();
  }
  if (t < 4) {
    int e = off[t + 1];
    y[t] = (MUT == 2 || off[t] < e) ? v[e > 0 ? e - 1 : 0] : 0.f;
  }
}
