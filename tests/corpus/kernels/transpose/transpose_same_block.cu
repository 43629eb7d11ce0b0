// transpose_tiled that forgets to swap the block indices: each tile is transposed in place of
// itself. Right on the diagonal, wrong elsewhere.
extern "C" __global__ void transpose_tiled(const float *in, float *out) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * SIZE + x];
    __syncthreads();

    // wrong: x and y still belong to the block that was read
    out[y * SIZE + x] = tile[threadIdx.x][threadIdx.y];
}
