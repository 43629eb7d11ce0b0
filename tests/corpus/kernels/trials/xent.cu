// Cross entropy of four rows of 50 with labels: log-sum-exp in natural numbers with one thread a
// row, and online in powers of two with one warp a row.
// MUT 1, wrong: Leaves out the last column.
// MUT 2, wrong: Scales the other lane's sum by its own maximum.
// MUT 3, wrong: Takes the first row's label for all.
#ifndef MUT
#define MUT 0
#endif
#define INFINITY __int_as_float(0x7f800000)
#define V 50
extern "C" __global__ void ref(const float* x, const int* lab, float* loss) {
  int r = threadIdx.x;
  float m = -INFINITY;
  for (int i = 0; i < V; i++) m = fmaxf(m, x[r * V + i]);
  float s = 0;
  for (int i = 0; i < V; i++) s += expf(x[r * V + i] - m);
  loss[r] = logf(s) + m - x[r * V + lab[r]];
}
extern "C" __global__ void opt(const float* x, const int* lab, float* loss) {
  int r = blockIdx.x, t = threadIdx.x;
  const float L = 1.4426950408889634f;
  float m = -INFINITY, s = 0;
  for (int i = t; i < V - (MUT == 1); i += 32) {
    float v = x[r * V + i] * L;
    float n = fmaxf(m, v);
    s = s * exp2f(m - n) + exp2f(v - n);
    m = n;
  }
  for (int o = 16; o; o >>= 1) {
    float om = __shfl_xor_sync(~0u, m, o), os = __shfl_xor_sync(~0u, s, o);
    float n = fmaxf(m, om);
    s = s * exp2f(m - n) + os * exp2f((MUT == 2 ? m : om) - n);
    m = n;
  }
  if (t == 0) loss[r] = (log2f(s) + m) * 0.6931471805599453f - x[r * V + lab[MUT == 3 ? 0 : r]];
}
