// One function of each element: y[i] = f(x[i]), f as the macro OF(v) says, or of two: OF(a, b) with BINARY.
#ifdef BINARY
extern "C" __global__ void elementwise(const float* a, const float* b, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = OF(a[i], b[i]);
}
#else
extern "C" __global__ void elementwise(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = OF(v);
  }
}
#endif
