// What signals/met.cu computes, without waiting.
extern "C" __global__ void turn(const float* x, float* row, int* count, float* y) {
    int t = threadIdx.x, b = blockIdx.x, parts = gridDim.x, n = blockDim.x;
    row[b * n + t] = 2.0f * x[b * n + t];
    y[b * n + t] = 2.0f * x[(parts - 1 - b) * n + (n - 1 - t)];
    if (t == 0) atomicAdd(count, 1);
}
