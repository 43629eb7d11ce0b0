// D = A B + C, one element a thread, A without its zeros: what sparse tiles are compared with. E
// holds the positions of A's elements, row by row, four bits a chunk. STORED elements of a chunk are
// stored: two of four; one of two (positions 4 and 14); or two pairs of four, with elements of four
// bits packed into words, B column-major. Launch: one block of 128 threads.
typedef unsigned int word;

__device__ int nibble(const word *line, int at) {
    return (int)(line[at / 8] << (28 - at % 8 * 4)) >> 28;
}

extern "C" __global__ void plain_sparse(const IN_A *A, const unsigned short *E, const IN_B *B, const SUM *C, SUM *D) {
    int row = threadIdx.x / 8, col = threadIdx.x % 8;
    SUM sum = C[row * 8 + col];
#pragma unroll 1
    for (int i = 0; i < K / 2; ++i) {
        int chunk = i / STORED, bits = E[row * (K / 8 / STORED) + chunk / 4] >> chunk % 4 * 4 & 15;
#if STORED == 1
        int k = 2 * chunk + (bits == 14);
        sum += (SUM)A[row * (K / 2) + i] * (SUM)B[k * 8 + col];
#elif STORED == 2
        int k = 4 * chunk + (bits >> i % 2 * 2 & 3);
        sum += (SUM)A[row * (K / 2) + i] * (SUM)B[k * 8 + col];
#else
        int k = 8 * chunk + (bits >> i % 4 / 2 * 2 & 3) * 2 + i % 2;
        sum += nibble(A + row * (K / 16), i) * nibble(B + col * (K / 8), k);
#endif
    }
    D[row * 8 + col] = sum;
}
