// out[0] += sum of N elements, one thread: the reference for the atomic versions.
extern "C" __global__ void sum_accumulate(const TYPE *x, TYPE *out) {
    if (threadIdx.x == 0) {
        TYPE sum = 0;
        for (int j = 0; j < N; ++j) sum += x[j];
        out[0] += sum;
    }
}
