// Of two floats that lie 32 apart the one of greater magnitude, and every float to one of two halves by
// its sign: with choices of values, and with chosen addresses.
// MUT 1, wrong: One of the addresses is another's.
// MUT 2, wrong: The floats in shared memory are read before they are there.
// MUT 3, wrong: The halves are exchanged.
// MUT 4, wrong: One of the addresses lies outside.
#ifndef MUT
#define MUT 0
#endif
extern "C" __global__ void ref(const float* x, float* y, float* z) {
  int t = threadIdx.x;
  float v = x[t], w = x[t ^ 32];
  y[t] = fabsf(v) > fabsf(w) ? v : w;
  z[t] = v > 0 ? v : 0;
  z[t + 64] = v > 0 ? 0 : v;
}
extern "C" __global__ void opt(const float* x, float* y, float* z) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float v = x[t];
  s[t] = v;
#if MUT != 2
  __syncthreads();
#endif
  int other = MUT == 1 ? t ^ 33 : MUT == 4 ? t + 32 : t ^ 32;
  y[t] = s[fabsf(v) > fabsf(x[t ^ 32]) ? t : other];
  z[t] = 0;
  z[t + 64] = 0;
  z[(v > 0) == (MUT != 3) ? t : t + 64] = v;
}
