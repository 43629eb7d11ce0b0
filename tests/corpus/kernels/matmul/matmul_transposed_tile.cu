// matmul_tiled that reads its second tile the wrong way round: C = A B with every tile of B
// transposed.
extern "C" __global__ void matmul_tiled(const float *A, const float *B, float *C) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int start = 0; start < DEPTH; start += TILE) {
        a[ty][tx] = A[row * DEPTH + start + tx];
        b[ty][tx] = B[(start + ty) * SIZE + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[tx][k];  // wrong: b[tx][k]
        __syncthreads();
    }
    C[row * SIZE + column] = sum;
}
