// What votes computes, each thread counting for itself.
extern "C" __global__ void votes_plain(const float *x, const int *flag, float *y, int n) {
    int i = threadIdx.x, count = 0;
    for (int j = 0; j < n; ++j) count += flag[j] != 0;
    y[i] = x[i] * (count + (count > 0 ? 1 : 0) + (count == n ? 2 : 0));
}
