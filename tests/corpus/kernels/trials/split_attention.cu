// Attention of one query over 24 keys with its log-sum-exp: in two passes, and one key a lane,
// merged by shuffles with powers of two.
// MUT 1, wrong: Leaves out the last key.
// MUT 2, wrong: The scale lacks log2 e.
// MUT 3, wrong: Scales the other lane's values by its own factor.
// MUT 4, wrong: Gives the logarithm to base two.
#ifndef MUT
#define MUT 0
#endif
#define INF __int_as_float(0x7f800000)
extern "C" __global__ void ref(const float* q, const float* k, const float* v, float* o, float* lse) {
  float s[24], m = -INF, l = 0;
  for (int j = 0; j < 24; j++) {
    float a = 0;
    for (int d = 0; d < 8; d++) a += q[d] * k[j * 8 + d];
    s[j] = a * 0.35355339f;
    m = fmaxf(m, s[j]);
  }
  for (int j = 0; j < 24; j++) {
    s[j] = expf(s[j] - m);
    l += s[j];
  }
  for (int d = 0; d < 8; d++) {
    float a = 0;
    for (int j = 0; j < 24; j++) a += s[j] * v[j * 8 + d];
    o[d] = a / l;
  }
  *lse = m + logf(l);
}
// split-KV flash decoding: each lane owns one key, masked lanes beyond 24; merge by shuffles with exp2
extern "C" __global__ void opt(const float* q, const float* k, const float* v, float* o, float* lse) {
  int t = threadIdx.x;
  const float sc = 0.35355339f * 1.4426950408889634f;
  float s = -INF, m, l, acc[8];
  if (t < 24 - (MUT == 1)) {
    float a = 0;
    for (int d = 0; d < 8; d++) a += q[d] * k[t * 8 + d];
    s = a * (MUT == 2 ? 0.35355339f : sc);
  }
  m = s;
  l = s == -INF ? 0.f : 1.f;
  for (int d = 0; d < 8; d++) acc[d] = t < 24 ? v[t * 8 + d] : 0.f;
  if (t >= 24 - (MUT == 1))
    for (int d = 0; d < 8; d++) acc[d] = 0.f;
  for (int of = 1; of < 32; of <<= 1) {
    float om = __shfl_xor_sync(~0u, m, of), ol = __shfl_xor_sync(~0u, l, of);
    float n = fmaxf(m, om);
    float a = m == -INF ? 0.f : exp2f(m - n), b = om == -INF ? 0.f : exp2f(om - n);
    l = l * a + ol * b;
    for (int d = 0; d < 8; d++) {
      float oa = __shfl_xor_sync(~0u, acc[d], of);
      acc[d] = acc[d] * a + oa * (MUT == 3 ? a : b);
    }
    m = n;
  }
  if (t < 8) {
    float r;
    switch (t) {
      case 0:
        r = acc[0];
        break;
      case 1:
        r = acc[1];
        break;
      case 2:
        r = acc[2];
        break;
      case 3:
        r = acc[3];
        break;
      case 4:
        r = acc[4];
        break;
      case 5:
        r = acc[5];
        break;
      case 6:
        r = acc[6];
        break;
      default:
        r = acc[7];
    }
    o[t] = r / l;
  }
  if (t == 0) *lse = (m + log2f(l)) * (MUT == 4 ? 1.f : 0.69314718056f);
}
