// out[0] = largest of N elements, one thread: the reference for max_shared.
extern "C" __global__ void max_serial(const float *x, float *out) {
    if (threadIdx.x == 0) {
        float largest = x[0];
        for (int j = 1; j < N; ++j) largest = x[j] > largest ? x[j] : largest;
        out[0] = largest;
    }
}
