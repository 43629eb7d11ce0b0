// The last 32 numbers are added up by one warp without barriers, as in Harris's version 7, from shared memory of which
// the second half is never written. The race counts before what was not written. Launch: 32 threads.
extern "C" __global__ void fast(const float *x, float *y) {
    __shared__ volatile float sums[64];
    int t = threadIdx.x;
    sums[t] = x[t];  // missing: sums[t + 32]
    sums[t] += sums[t + 32];
    sums[t] += sums[t + 16];
    sums[t] += sums[t + 8];
    sums[t] += sums[t + 4];
    sums[t] += sums[t + 2];
    sums[t] += sums[t + 1];
    if (t == 0) y[0] = sums[0];
}
