// out[0] = sum of N elements: shuffle down within each warp, one partial sum per warp in shared
// memory, the first warp adds those up. One block of N threads, N a multiple of 32.
__device__ float warp_sum(float value) {
    for (int lane = 16; lane > 0; lane /= 2) value += __shfl_down_sync(0xffffffff, value, lane);
    return value;
}

extern "C" __global__ void sum_shuffle_down(const float *x, float *out) {
    __shared__ float partial[32];
    int i = threadIdx.x, lane = i % 32, warp = i / 32;
    float sum = warp_sum(x[i]);
    if (warp == 0) partial[lane] = 0.0f;
    __syncthreads();
    if (lane == 0) partial[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(partial[lane]);
        if (lane == 0) out[0] = sum;
    }
}
