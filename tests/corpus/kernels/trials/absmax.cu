// The greatest magnitude of 64 floats: with one thread, and by atomics on the bits of the floats
// as integers.
// MUT 1, wrong: Forgets the magnitude: negative floats have the wrong order as integers.
// MUT 2, wrong: Starts before the maximum is set to zero.
#ifndef MUT
#define MUT 0
#endif
// relu'ed maximum by integer atomics: positive floats order like integers
extern "C" __global__ void ref(const float* x, float* y) {
  float m = 0;
  for (int i = 0; i < 64; i++) m = fmaxf(m, fabsf(x[i]));
  *y = m;
}
extern "C" __global__ void opt(const float* x, float* y) {
  __shared__ int m;
  int t = threadIdx.x;
  if (t == 0) m = 0;
#if MUT != 2
  __syncthreads();
#endif
  atomicMax(&m, __float_as_int(MUT == 1 ? x[t] : fabsf(x[t])));
  __syncthreads();
  if (t == 0) *y = __int_as_float(m);
}
