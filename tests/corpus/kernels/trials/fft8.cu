// A Fourier transform of eight complex numbers: by its definition, and in three rounds of
// butterflies.
// MUT 1, wrong: Turns the other way.
// MUT 2, wrong: One part of a butterfly is added instead of subtracted.
// MUT 3, wrong: Leaves out the barrier between rounds.
#ifndef MUT
#define MUT 0
#endif
extern "C" __global__ void ref(const float2* x, float2* y) {
  int k = threadIdx.x;
  float re = 0, im = 0;
  for (int n = 0; n < 8; n++) {
    float s, c;
    sincospif(-0.25f * ((n * k) % 8), &s, &c);
    re += x[n].x * c - x[n].y * s;
    im += x[n].x * s + x[n].y * c;
  }
  y[k] = make_float2(re, im);
}
__constant__ float2 tw[4] = {{1, 0},
                             {0.70710678118654752f, -0.70710678118654752f},
                             {0, -1},
                             {-0.70710678118654752f, -0.70710678118654752f}};
extern "C" __global__ void opt(const float2* x, float2* y) {
  __shared__ float2 s[8];
  int t = threadIdx.x;
  s[t] = x[__brev(t) >> 29];
  s[t + 4] = x[__brev(t + 4) >> 29];
  __syncthreads();
  for (int h = 1; h < 8; h <<= 1) {
    int j = t % h, b = (t / h) * 2 * h + j;
    float2 w = tw[j * (4 / h)];
    if (MUT == 1) w.y = -w.y;
    float2 u = s[b], v = s[b + h];
    float2 p = make_float2(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x);
    s[b] = make_float2(u.x + p.x, u.y + p.y);
    s[b + h] = make_float2(u.x - p.x, MUT == 2 ? u.y + p.y : u.y - p.y);
#if MUT != 3
    __syncthreads();
#endif
  }
  y[t] = s[t];
  y[t + 4] = s[t + 4];
}
