// D = A B + C, one element a thread, with elements of BITS bits packed into words, A row-major and
// B column-major: what narrow tiles are compared with. Elements are unsigned, or signed with
// A_SIGNED and B_SIGNED; single bits are compared by OP. Launch: one block of M x 8 threads.
typedef unsigned int word;

__device__ int element(const word *line, int at, int is_signed) {
    word value = line[at * BITS / 32] >> at * BITS % 32 & ((1 << BITS) - 1);
    return is_signed && value >> (BITS - 1) ? (int)value - (1 << BITS) : (int)value;
}

extern "C" __global__ void plain_narrow(const word *A, const word *B, const int *C, int *D) {
    int row = threadIdx.x / 8, col = threadIdx.x % 8, sum = 0;
#pragma unroll 1
    for (int k = 0; k < K; ++k) {
        int a = element(A + row * (K * BITS / 32), k, A_SIGNED), b = element(B + col * (K * BITS / 32), k, B_SIGNED);
        sum += a OP b;
    }
    D[row * 8 + col] = C[row * 8 + col] + sum;
}
