// Transposes a SIZE x SIZE matrix in place, one block of SIZE x SIZE threads: all read, then
// all write.
extern "C" __global__ void transpose_in_place(float *matrix) {
    int x = threadIdx.x, y = threadIdx.y;
    float value = matrix[y * SIZE + x];
    __syncthreads();
    matrix[x * SIZE + y] = value;
}
