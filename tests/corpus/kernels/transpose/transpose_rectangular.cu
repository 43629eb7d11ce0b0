// out = transpose of a HEIGHT x WIDTH matrix through a tile; each thread moves TILE / ROWS
// elements and the ragged edge is guarded. Blocks of TILE x ROWS threads.
extern "C" __global__ void transpose_rectangular(const float *in, float *out) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < WIDTH && y + k < HEIGHT) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * WIDTH + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < HEIGHT && y + k < WIDTH) out[(y + k) * HEIGHT + x] = tile[threadIdx.x][threadIdx.y + k];
}
