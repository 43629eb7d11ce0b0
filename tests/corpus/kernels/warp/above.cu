// How many of a block's numbers are above a bound: by a loop, by a counting barrier, by ballots.
// WRONG: the bound itself counts, too.
extern "C" __global__ void above(const float* x, float* y) {
    int t = threadIdx.x;
#if FORM == 0
    if (t == 0) {
        int count = 0;
        for (int i = 0; i < 64; ++i) count += x[i] > 0.5f ? 1 : 0;
        for (int i = 0; i < 64; ++i) y[i] = (float)count * x[i];
    }
#else
    bool is_above = WRONG ? x[t] >= 0.5f : x[t] > 0.5f;
#if FORM == 1
    int count = __syncthreads_count(is_above);
#else
    __shared__ int counts[2];
    unsigned votes = __ballot_sync(0xffffffffu, is_above);
    if ((t & 31) == 0) counts[t >> 5] = __popc(votes);
    __syncthreads();
    int count = counts[0] + counts[1];
#endif
    y[t] = (float)count * x[t];
#endif
}
