// bins[data[i]] += 1 for N values, counted in shared memory first. One block of N threads,
// N >= BINS.
extern "C" __global__ void histogram_shared(const int *data, int *bins) {
    __shared__ int count[BINS];
    int i = threadIdx.x;
    if (i < BINS) count[i] = 0;
    __syncthreads();
    atomicAdd(&count[data[i]], 1);
    __syncthreads();
    if (i < BINS) bins[i] += count[i];
}
