// A copy of n floats, four a thread. Wrong: FORM 1 asks whether the first of the four is there, and takes all.
__global__ void copy4(const float4* x, float4* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if FORM == 0
    if (4 * i + 3 < n) y[i] = x[i];
#else
    if (4 * i < n) y[i] = x[i]; // wrong: three of the four may lie behind the end
#endif
}
