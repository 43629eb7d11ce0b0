// out = smallest and largest of n integers, one thread: the reference for redux_range.
extern "C" __global__ void range_serial(const int *x, int *out, int n) {
    int low = x[0], high = x[0];
    for (int j = 1; j < n; ++j) {
        low = min(low, x[j]);
        high = max(high, x[j]);
    }
    out[0] = low;
    out[1] = high;
}
