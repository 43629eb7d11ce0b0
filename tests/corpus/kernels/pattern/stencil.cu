// y[i] = x[i] + x[i + 1]: free of races unless x and y are the same memory.
extern "C" __global__ void stencil(const float *x, float *y) {
    int i = threadIdx.x;
    y[i] = x[i] + x[i + 1];
}
