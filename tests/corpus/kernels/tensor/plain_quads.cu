// Four products D = A B + C of 8 x 8 x 4, one element a thread: what the quad pairs are compared
// with. Launch: one block of 256 threads.
extern "C" __global__ void plain_quads(const float *A, const float *B, const float *C, float *D) {
    int quad = threadIdx.x / 64, row = threadIdx.x / 8 % 8, col = threadIdx.x % 8;
    float sum = C[threadIdx.x];
    for (int k = 0; k < 4; ++k) sum += A[quad * 32 + row * 4 + k] * B[quad * 32 + k * 8 + col];
    D[threadIdx.x] = sum;
}
