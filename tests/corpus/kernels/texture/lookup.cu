// y = table[code % 16] for bytes and a table of 16 floats, in a texture over linear memory or in an array.

#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void lookup_texture(const unsigned char* code, cudaTextureObject_t table, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if MUTANT == 1
    // wrong: the next entry
    if (i < n) y[i] = tex1Dfetch<float>(table, code[i] + 1 & 15);
#else
    if (i < n) y[i] = tex1Dfetch<float>(table, code[i] & 15);
#endif
}

extern "C" __global__ void lookup_by_hand(const unsigned char* code, const float* table, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = table[code[i] & 15];
}
