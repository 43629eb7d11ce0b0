// Rows of a table, chosen by indices: one element a thread (FORM 0), or four (FORM 1).
#if FORM == 0
__global__ void embed(const float* table, const int* index, float* out, int d) {
    int r = blockIdx.x;
    for (int j = threadIdx.x; j < d; j += blockDim.x) out[r * d + j] = table[index[r] * d + j];
}
#else
__global__ void embed4(const float4* table, const int* index, float4* out, int d) {
    int r = blockIdx.x, q = d >> 2;
    for (int j = threadIdx.x; j < q; j += blockDim.x) out[r * q + j] = table[index[r] * q + j];
}
#endif
