// A table of numbers by codes of 8 or 4 bits (one thread an element, two codes a byte), 32 threads.
// FORM 0: from global memory; 1: the table through shared memory; 2, 3: codes of four bits, one and two elements a
// thread, as 4-bit weights are read. WRONG: the upper half of the byte first.
extern "C" __global__ void look_up(const float *table, const unsigned char *code, float *y)
{
    int i = threadIdx.x;
#if FORM == 0
    y[i] = table[code[i]];
#elif FORM == 1
    __shared__ float near[256];
    for (int k = i; k < 256; k += 32)
        near[k] = table[k];
    __syncthreads();
    y[i] = near[code[i]];
#elif FORM == 2
    y[i] = table[code[i / 2] >> 4 * (i % 2) & 15];
#else
    if (i % 2 == 0) {
        unsigned char both = code[i / 2];
        y[i] = table[WRONG ? both / 16 : both % 16];
        y[i + 1] = table[WRONG ? both % 16 : both / 16];
    }
#endif
}
