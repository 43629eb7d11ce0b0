// saxpy without the guard: right only if n is a multiple of the block size.
extern "C" __global__ void saxpy_unguarded(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}
