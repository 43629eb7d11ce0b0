// D = A B + C, M x K by K x N, one element a thread: what the tensor-core tiles are compared with.
// Inputs and sums are floats here, or doubles or ints. Launch: one block of M x N threads.
extern "C" __global__ void plain_product(const IN_A *A, const IN_B *B, const SUM *C, SUM *D) {
    int row = threadIdx.x / N, col = threadIdx.x % N;
    SUM sum = C[row * N + col];
#ifdef COLUMNS // B is column-major
    for (int k = 0; k < K; ++k) sum += (SUM)A[row * K + k] * (SUM)B[col * K + k];
#else
    for (int k = 0; k < K; ++k) sum += (SUM)A[row * K + k] * (SUM)B[k * N + col];
#endif
    D[row * N + col] = sum;
}
