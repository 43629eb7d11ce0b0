// transpose_tiled without the barrier between filling the tile and reading it back.
extern "C" __global__ void transpose_tiled(const float *in, float *out) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * SIZE + x];
    // missing: __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * SIZE + x] = tile[threadIdx.x][threadIdx.y];
}
