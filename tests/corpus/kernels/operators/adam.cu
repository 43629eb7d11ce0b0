// One step of Adam; `rate` is the learning rate, `one` and `two` are 1 - beta^t for both moments.
extern "C" __global__ void adam(float* p, float* m, float* v, const float* g, float rate, float one, float two, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float first = 0.9f * m[i] + 0.1f * g[i];
  float second = 0.999f * v[i] + 0.001f * g[i] * g[i];
  m[i] = first;
  v[i] = second;
  p[i] -= rate * (first / one) / (sqrtf(second / two) + 1e-8f);
}
