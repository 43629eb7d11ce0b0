// saxpy with the wrong sign: y = a x - y.
extern "C" __global__ void saxpy_wrong_sign(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] - y[i];
}
