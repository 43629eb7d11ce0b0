// Floats to signed bytes: rounded and clamped one at a time, and clamped and rounded four at a
// time.
// MUT 1, wrong: Rounds towards zero.
// MUT 2, wrong: Clamps at 126.
// MUT 3, wrong: Stores the third of four twice.
#ifndef MUT
#define MUT 0
#endif
extern "C" __global__ void ref(const float* x, const float* s, signed char* q) {
  for (int i = threadIdx.x; i < 128; i += 32) {
    float v = x[i] * s[0];
    int r = __float2int_rn(v);
    r = r > 127 ? 127 : (r < -128 ? -128 : r);
    q[i] = (signed char)r;
  }
}
extern "C" __global__ void opt(const float4* x, const float* s, char4* q) {
  int t = threadIdx.x;
  float k = s[0];
  float4 v = x[t];
  auto f = [&](float a) {
    float v = fminf(fmaxf(a * k, -128.f), MUT == 2 ? 126.f : 127.f);
    return (signed char)(MUT == 1 ? __float2int_rz(v) : __float2int_rn(v));
  };
  char4 r;
  r.x = f(v.x);
  r.y = f(v.y);
  r.z = f(v.z);
  r.w = f(MUT == 3 ? v.z : v.w);
  q[t] = r;
}
