// C = A B for square row-major matrices of SIZE columns and an inner dimension DEPTH, one element
// per thread. Blocks of TILE x TILE threads.
extern "C" __global__ void matmul_naive(const float *A, const float *B, float *C) {
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < DEPTH; ++k) sum += A[row * DEPTH + k] * B[k * SIZE + column];
    C[row * SIZE + column] = sum;
}
