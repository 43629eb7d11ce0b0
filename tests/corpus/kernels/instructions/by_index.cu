// y[i] is x[i] times 1, 3, 5 or 7, as the thread's number modulo 4 says.
extern "C" __global__ void by_index(const float *x, float *y) {
    int i = threadIdx.x;
    y[i] = x[i] * (float)(2 * (i % 4) + 1);
}
