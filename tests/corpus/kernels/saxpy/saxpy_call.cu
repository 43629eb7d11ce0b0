// y = a x + y through a device function that is not inlined.
__device__ __noinline__ float multiply_add(float a, float x, float y) { return a * x + y; }

extern "C" __global__ void saxpy_call(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = multiply_add(a, x[i], y[i]);
}
