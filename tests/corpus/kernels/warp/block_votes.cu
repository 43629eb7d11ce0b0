// y[i] = x[i] times the number of set flags in the block, plus one if any, plus two if all are
// set: the barriers that also vote.
extern "C" __global__ void block_votes(const float *x, const int *flag, float *y) {
    int i = threadIdx.x;
    int factor = __syncthreads_count(flag[i]);
    if (__syncthreads_or(flag[i])) factor += 1;
    if (__syncthreads_and(flag[i])) factor += 2;
    y[i] = x[i] * factor;
}
