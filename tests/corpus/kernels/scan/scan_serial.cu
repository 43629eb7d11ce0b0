// Inclusive prefix sum of N elements, one thread, left to right: the reference.
extern "C" __global__ void scan_serial(const float *x, float *out) {
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int j = 0; j < N; ++j) {
            sum += x[j];
            out[j] = sum;
        }
    }
}
