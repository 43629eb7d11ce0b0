// out = transpose of a SIZE x SIZE matrix, straight through global memory (uncoalesced writes).
// Blocks of TILE x TILE threads, a grid of (SIZE / TILE) x (SIZE / TILE).
extern "C" __global__ void transpose_naive(const float *in, float *out) {
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    out[x * SIZE + y] = in[y * SIZE + x];
}
