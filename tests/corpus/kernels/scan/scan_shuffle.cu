// Inclusive prefix sum with shuffles: each warp scans its 32 elements in registers, then adds the
// totals of the warps before it. One block of N threads, N a multiple of 32.
extern "C" __global__ void scan_shuffle(const float *x, float *out) {
    __shared__ float total[N / 32];
    int i = threadIdx.x, lane = i % 32, warp = i / 32;
    float sum = x[i];
    for (int offset = 1; offset < 32; offset *= 2) {
        float before = __shfl_up_sync(0xffffffff, sum, offset);
        if (lane >= offset) sum += before;
    }
    if (lane == 31) total[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; ++w) sum += total[w];
    out[i] = sum;
}
