// Appends x[i] to out wherever keep[i] is set, one thread: the reference for compact_ballot.
extern "C" __global__ void compact_serial(const float *x, const int *keep, float *out,
                                          int n) {
    if (threadIdx.x == 0) {
        int count = 0;
        for (int j = 0; j < n; ++j)
            if (keep[j]) out[count++] = x[j];
    }
}
