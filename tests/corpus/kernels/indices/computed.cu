// Six bits as fractions of 255 (one thread an element). FORM 0: each thread divides; 1: by a table of all 64
// that the block computes first. WRONG: as fractions of 256.
extern "C" __global__ void fractions(const unsigned char *code, float *y)
{
    int i = threadIdx.x;
#if FORM == 0
    y[i] = (code[i] & 63) / 255.0f;
#else
    __shared__ float near[64];
    for (int k = i; k < 64; k += blockDim.x)
        near[k] = k / (WRONG ? 256.0f : 255.0f);
    __syncthreads();
    y[i] = near[code[i] & 63];
#endif
}
