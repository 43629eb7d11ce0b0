// bins[b] += sum of the weights whose key is b, one thread per bin: the reference for
// histogram_weighted.
extern "C" __global__ void histogram_weighted_serial(const int *key, const float *weight,
                                                     float *bins) {
    int b = threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < N; ++j)
        if (key[j] == b) sum += weight[j];
    bins[b] += sum;
}
