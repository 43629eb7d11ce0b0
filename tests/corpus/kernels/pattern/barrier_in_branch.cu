// A barrier under a branch that depends on the data: all threads ask the same number.
extern "C" __global__ void barrier_in_branch(const float *x, float *y) {
    __shared__ float row[64];
    int i = threadIdx.x;
    row[i] = x[i];
    if (x[0] > 0.0f) __syncthreads();
    y[i] = row[i];
}
