// A barrier inside a loop that some warps run once more than others; those that are done return.
extern "C" __global__ void ragged_loop(int n, const float *x, float *y) {
    __shared__ float row[64];
    for (int i = threadIdx.x; i < n; i += 64) {
        row[threadIdx.x] = x[i];
        __syncthreads();
        y[i] = row[threadIdx.x ^ 1];
        __syncthreads();
    }
}
