// y[i] = x[i] times the number of set flags in the warp, plus one if any, plus two if all are set.
extern "C" __global__ void votes(const float *x, const int *flag, float *y) {
    int i = threadIdx.x;
    bool set = flag[i] != 0;
    int factor = __popc(__ballot_sync(0xffffffff, set));
    if (__any_sync(0xffffffff, set)) factor += 1;
    if (__all_sync(0xffffffff, set)) factor += 2;
    y[i] = x[i] * factor;
}
