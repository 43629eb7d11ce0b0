// Layer normalisation of one row of N elements, sums of x and x * x by warp shuffles and shared
// memory. One block of N threads, N a multiple of 32.
__device__ float2 warp_sum(float2 v) {
    for (int lane = 16; lane > 0; lane /= 2) {
        v.x += __shfl_xor_sync(0xffffffff, v.x, lane);
        v.y += __shfl_xor_sync(0xffffffff, v.y, lane);
    }
    return v;
}

extern "C" __global__ void layernorm_block(const float *x, const float *gamma,
                                           const float *beta, float *y) {
    __shared__ float2 partial[N / 32];
    int i = threadIdx.x;
    float value = x[i];
    float2 sums = warp_sum(make_float2(value, value * value));
    if (i % 32 == 0) partial[i / 32] = sums;
    __syncthreads();

    float2 total = make_float2(0.0f, 0.0f);
    for (int w = 0; w < N / 32; ++w) {
        total.x += partial[w].x;
        total.y += partial[w].y;
    }
    float mean = total.x * (1.0f / N);
    float variance = total.y * (1.0f / N) - mean * mean;
    y[i] = (value - mean) * rsqrtf(variance + 1e-5f) * gamma[i] + beta[i];
}
