// Transposes a matrix in place without waiting until all threads have read their element.
extern "C" __global__ void transpose_in_place(float *matrix) {
    int x = threadIdx.x, y = threadIdx.y;
    float value = matrix[y * SIZE + x];
    // missing: __syncthreads();
    matrix[x * SIZE + y] = value;
}
