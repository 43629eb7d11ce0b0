// saxpy in which two threads update every element: the block index is rounded down wrongly.
extern "C" __global__ void saxpy_two_threads(int n, float a, const float *x, float *y) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 2;  // wrong: / 2
    if (i < n) y[i] = a * x[i] + y[i];
}
