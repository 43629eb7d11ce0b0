// y = a x + y with a separately rounded product: no fused multiply-add.
extern "C" __global__ void saxpy_unfused(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __fadd_rn(__fmul_rn(a, x[i]), y[i]);
}
