// bins[key[i]] += weight[i]: a histogram of real-valued weights under integer keys.
extern "C" __global__ void histogram_weighted(const int *key, const float *weight, float *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[key[i]], weight[i]);
}
