// y = a x + y on floats, computed in double precision and rounded back.
extern "C" __global__ void saxpy_widened(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = (float)((double)a * (double)x[i] + (double)y[i]);
}
