// bins[data[i]] += 1 for N values, one global atomic per element. The address depends on the
// data: a structured kernel only where the spec gives the data.
extern "C" __global__ void histogram_global(const int *data, int *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[data[i]], 1);
}
