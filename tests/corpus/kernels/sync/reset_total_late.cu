// reset_total used twice: the second reset does not wait until the first total has been read.
extern "C" __global__ void reset_total(const float *x, float *y) {
    __shared__ float total;
    if (threadIdx.x == 0) total = 0.0f;
    __syncthreads();
    atomicAdd(&total, x[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) y[0] = total;
    if (threadIdx.x == 32) total = 0.0f;
    __syncthreads();
    atomicAdd(&total, x[threadIdx.x] * x[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) y[1] = total;
}
