// Reverses eight elements per thread through an array in local memory, indexed at run time.
extern "C" __global__ void local_array(const float *x, float *y, int shift) {
    float mine[8];
    int base = threadIdx.x * 8;
    for (int k = 0; k < 8; ++k) mine[(k + shift) & 7] = x[base + k];
    for (int k = 0; k < 8; ++k) y[base + k] = mine[(7 - k + shift) & 7];
}
