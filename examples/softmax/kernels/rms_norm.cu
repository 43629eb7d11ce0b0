// y = x / sqrt(mean(x * x) + eps) * weight for each row: one block a row, one thread an element.

extern "C" __global__ void rms_norm(const float *x, const float *weight, float *y, float eps) {
    __shared__ float partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    float value = x[blockIdx.x * blockDim.x + threadIdx.x];
    float sum = value * value;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (lane == 0) partial[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int other = 0; other < warps; other++) sum += partial[other];
    y[blockIdx.x * blockDim.x + threadIdx.x] = value / sqrtf(sum / blockDim.x + eps) * weight[threadIdx.x];
}
