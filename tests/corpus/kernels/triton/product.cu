// C = A B, row-major, one element per thread.
extern "C" __global__ void product(const float *A, const float *B, float *C) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < DEPTH; ++k) sum += A[row * DEPTH + k] * B[k * COLUMNS + column];
    C[row * COLUMNS + column] = sum;
}
