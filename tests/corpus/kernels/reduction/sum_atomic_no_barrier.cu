// sum_atomic_shared that reads the shared total without waiting for the other threads' additions.
extern "C" __global__ void sum_atomic_shared(const TYPE *x, TYPE *out) {
    __shared__ TYPE total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, x[blockIdx.x * blockDim.x + threadIdx.x]);
    // missing: __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, total);
}
