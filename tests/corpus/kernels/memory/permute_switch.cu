// y[i] = x[order of i] with the order packed into one constant, three bits each.
extern "C" __global__ void permute_switch(const float *x, float *y) {
    int i = threadIdx.x;
    // 3 1 4 0 5 7 2 6, lowest three bits first
    unsigned order = 3 | 1 << 3 | 4 << 6 | 0 << 9 | 5 << 12 | 7 << 15 | 2 << 18 | 6 << 21;
    y[i] = x[order >> 3 * i & 7];
}
