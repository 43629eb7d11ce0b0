// Transposes a SIZE x SIZE matrix in place by swapping pairs: the threads above the diagonal
// each own one pair, so no barrier is needed.
extern "C" __global__ void transpose_swap(float *matrix) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x > y) {
        float upper = matrix[y * SIZE + x];
        matrix[y * SIZE + x] = matrix[x * SIZE + y];
        matrix[x * SIZE + y] = upper;
    }
}
