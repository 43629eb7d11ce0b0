// Rotary embedding of halves with a table of angles: one element at a time, and two with half2 and
// float2.
// MUT 1, wrong: The second of two elements takes the first one's sine.
// MUT 2, wrong: Reads the neighbouring pair of sines.
// MUT 3, wrong: Stores one half twice.
#ifndef MUT
#define MUT 0
#endif
#include <cuda_fp16.h>
// neox style halves
extern "C" __global__ void ref(const __half* x, const float* cs, const float* sn, __half* y) {
  int i = threadIdx.x;
  for (int r = 0; r < 4; r++) {
    float a = __half2float(x[r * 64 + i]), b = __half2float(x[r * 64 + i + 32]);
    float c = cs[r * 32 + i], s = sn[r * 32 + i];
    y[r * 64 + i] = __float2half(a * c - b * s);
    y[r * 64 + i + 32] = __float2half(b * c + a * s);
  }
}
extern "C" __global__ void opt(const __half2* x, const float2* cs, const float2* sn, __half2* y) {
  int t = threadIdx.x;
#pragma unroll
  for (int k = t; k < 64; k += 32) {
    int r = k / 16, j = k % 16;
    float2 a = __half22float2(x[r * 32 + j]), b = __half22float2(x[r * 32 + j + 16]);
    float2 c = cs[r * 16 + j];
    float2 s = sn[r * 16 + (MUT == 2 ? j ^ 1 : j)];
    float2 p, q;
    p.x = a.x * c.x - b.x * s.x;
    p.y = a.y * c.y - b.y * (MUT == 1 ? s.x : s.y);
    q.x = b.x * c.x + a.x * s.x;
    q.y = b.y * c.y + a.y * s.y;
    y[r * 32 + j] = __float22half2_rn(p);
    y[r * 32 + j + 16] = __floats2half2_rn(MUT == 3 ? q.y : q.x, q.y);
  }
}
