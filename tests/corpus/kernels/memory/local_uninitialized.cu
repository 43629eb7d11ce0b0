// local_array that fills seven of its eight places and then reads all of them.
extern "C" __global__ void local_array(const float *x, float *y, int shift) {
    float mine[8];
    int base = threadIdx.x * 8;
    for (int k = 0; k < 7; ++k) mine[(k + shift) & 7] = x[base + k];  // wrong: 7
    for (int k = 0; k < 8; ++k) y[base + k] = mine[(7 - k + shift) & 7];
}
