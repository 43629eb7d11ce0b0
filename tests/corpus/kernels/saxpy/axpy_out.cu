// z = a x + y into a tensor of its own; LAST cuts elements off the end.
#ifndef LAST
#define LAST 0
#endif

extern "C" __global__ void axpy_out(int n, float a, const float *x, const float *y, float *z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - LAST) z[i] = a * x[i] + y[i];
}
