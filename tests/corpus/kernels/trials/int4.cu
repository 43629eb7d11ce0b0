// Four-bit weights to halves: by shifts, masks and a conversion, and by lop3 into the fraction of
// 1024 and a subtraction, as AWQ and Marlin do.
// MUT 1, wrong: Takes 1031 away, not 1032.
// MUT 2, wrong: Takes 64 away from what was divided by 16, not 72.
// MUT 3, wrong: Stores the low half twice.
#ifndef MUT
#define MUT 0
#endif
#include <cuda_fp16.h>
typedef unsigned u32;
extern "C" __global__ void ref(const u32* q, const __half* s, __half* y) {
  int t = threadIdx.x;
  u32 w = q[t];
  float sc = __half2float(s[t]);
  for (int i = 0; i < 8; i++) {
    int v = (int)((w >> (4 * i)) & 15) - 8;
    y[t * 8 + i] = __float2half(v * sc);
  }
}
// FasterTransformer/AWQ-like: order 0,4 | 1,5 | 2,6 | 3,7 pairs
__device__ u32 lop(u32 a) {
  u32 r;
  asm("lop3.b32 %0,%1,%2,%3,%4;"
      : "=r"(r)
      : "r"(a), "n"(0x000f000f), "n"(0x64006400), "n"((0xf0 & 0xcc) | 0xaa));
  return r;
}
__device__ u32 loph(u32 a) {
  u32 r;
  asm("lop3.b32 %0,%1,%2,%3,%4;"
      : "=r"(r)
      : "r"(a), "n"(0x00f000f0), "n"(0x64006400), "n"((0xf0 & 0xcc) | 0xaa));
  return r;
}
extern "C" __global__ void opt(const u32* q, const __half* s, __half* y) {
  int t = threadIdx.x;
  u32 w = q[t];
  __half2 sc = __half2half2(s[t]);
  u32 p[4];
  p[0] = lop(w);
  p[1] = loph(w);
  w >>= 8;
  p[2] = lop(w);
  p[3] = loph(w);
  __half2 h[4];
  u32 magic = MUT == 1 ? 0x64076407 : 0x64086408;
  u32 r16 = 0x2c002c00, m72 = MUT == 2 ? 0xd400d400 : 0xd480d480;
  __half2 mg = *(__half2*)&magic, r6 = *(__half2*)&r16, m7 = *(__half2*)&m72;
  h[0] = __hsub2(*(__half2*)&p[0], mg);
  h[1] = __hfma2(*(__half2*)&p[1], r6, m7);
  h[2] = __hsub2(*(__half2*)&p[2], mg);
  h[3] = __hfma2(*(__half2*)&p[3], r6, m7);
  // h[0]=(v0,v4) h[1]=(v1,v5) h[2]=(v2,v6) h[3]=(v3,v7)
  for (int i = 0; i < 4; i++) {
    __half2 v = __hmul2(h[i], sc);
    y[t * 8 + i] = __low2half(v);
    y[t * 8 + i + 4] = (MUT == 3 && i == 2) ? __low2half(v) : __high2half(v);
  }
}
