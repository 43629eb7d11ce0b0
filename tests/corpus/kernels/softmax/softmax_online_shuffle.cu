// Online softmax with warp shuffles: each warp combines its (maximum, sum) pairs in registers,
// then every thread folds the one pair per warp from shared memory. N a power of two, N >= 32.
extern "C" __global__ void softmax_online_shuffle(const float *x, float *y) {
    __shared__ float warp_largest[N / 32], warp_sum[N / 32];
    int i = threadIdx.x;
    float largest = x[i], sum = 1.0f;

    for (int lane = 16; lane > 0; lane /= 2) {
        float other = __shfl_xor_sync(0xffffffff, largest, lane);
        float other_sum = __shfl_xor_sync(0xffffffff, sum, lane);
        float m = fmaxf(largest, other);
        sum = sum * expf(largest - m) + other_sum * expf(other - m);
        largest = m;
    }
    if (i % 32 == 0) {
        warp_largest[i / 32] = largest;
        warp_sum[i / 32] = sum;
    }
    __syncthreads();

    largest = warp_largest[0];
    sum = warp_sum[0];
    for (int w = 1; w < N / 32; ++w) {
        float m = fmaxf(largest, warp_largest[w]);
        sum = sum * expf(largest - m) + warp_sum[w] * expf(warp_largest[w] - m);
        largest = m;
    }
    y[i] = expf(x[i] - largest) / sum;
}
