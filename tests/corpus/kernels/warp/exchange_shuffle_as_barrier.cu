// exchange_syncwarp without __syncwarp, trusting the shuffle to order the lanes: a shuffle
// exchanges registers and does not order memory.
extern "C" __global__ void exchange(const float *x, float *y) {
    __shared__ float row[32];
    int i = threadIdx.x;
    row[i] = 0.0f;
    __syncthreads();
    row[i] = x[i];
    // missing: __syncwarp();
    float other = __shfl_xor_sync(0xffffffff, x[i], 1);
    y[i] = row[i ^ 1] + other;
}
