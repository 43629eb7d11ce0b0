// y = a x + y with a grid-stride loop: any grid covers any n.
extern "C" __global__ void saxpy_stride(int n, float a, const float *__restrict__ x,
                                        float *__restrict__ y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
