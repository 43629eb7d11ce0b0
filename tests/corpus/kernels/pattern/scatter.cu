// y[index[i]] = x[i]: free of races exactly if index holds no value twice.
extern "C" __global__ void scatter(const float *x, const int *index, float *y) {
    int i = threadIdx.x;
    y[index[i]] = x[i];
}
