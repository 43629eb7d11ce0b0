// SwiGLU on bf16: element by element, and two at a time out of words, with exponentials of two.
// MUT 1, wrong: Takes a whole word for its upper half.
// MUT 2, wrong: One exponent has the wrong sign.
// MUT 3, wrong: Stores the halves the wrong way round.
#ifndef MUT
#define MUT 0
#endif
#include <cuda_bf16.h>
extern "C" __global__ void ref(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y) {
  for (int i = threadIdx.x; i < 64; i += 32) {
    float g = __bfloat162float(a[i]), u = __bfloat162float(b[i]);
    y[i] = __float2bfloat16(g / (1.f + expf(-g)) * u);
  }
}
extern "C" __global__ void opt(const unsigned* a, const unsigned* b, unsigned* y) {
  int t = threadIdx.x;
  unsigned p = a[t], q = b[t];
  float g0 = __uint_as_float(p << 16), g1 = __uint_as_float(MUT == 1 ? p : p & 0xffff0000u),
        u0 = __uint_as_float(q << 16), u1 = __uint_as_float(q & 0xffff0000u);
  float r0 = __fdividef(g0, 1.f + exp2f(-1.4426950408889634f * g0)) * u0,
        r1 = __fdividef(g1, 1.f + exp2f((MUT == 2 ? 1.f : -1.f) * 1.4426950408889634f * g1)) * u1;
  unsigned o;
  asm("cvt.rn.bf16x2.f32 %0,%1,%2;" : "=r"(o) : "f"(MUT == 3 ? r0 : r1), "f"(MUT == 3 ? r1 : r0));
  y[t] = o;
}
