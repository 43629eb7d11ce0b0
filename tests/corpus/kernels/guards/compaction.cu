// One thread writes the positive ones among COUNT inputs to the front of out[4].
extern "C" __global__ void compaction(const float *x, const int *m, float *out) {
    int kept = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < COUNT; i++)
            if (x[i] > 0) out[kept++] = x[i];
}
