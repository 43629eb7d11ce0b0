// y[i] = x[31 - i] for one warp, through registers.
extern "C" __global__ void shuffle_reverse(const float *x, float *y) {
    int i = threadIdx.x;
    y[i] = __shfl_sync(0xffffffff, x[i], 31 - i);
}
