// out = transpose of a SIZE x SIZE matrix through a padded tile in shared memory, so that reads
// and writes are both coalesced. Blocks of TILE x TILE threads.
extern "C" __global__ void transpose_tiled(const float *in, float *out) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * SIZE + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * SIZE + x] = tile[threadIdx.x][threadIdx.y];
}
