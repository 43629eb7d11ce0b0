// y = a x[1..] + y with scalar loads: the aligned twin of saxpy_misaligned.
extern "C" __global__ void saxpy_shifted(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i + 1] + y[i];
}
