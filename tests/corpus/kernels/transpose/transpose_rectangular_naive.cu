// out = transpose of a HEIGHT x WIDTH matrix, one element per thread.
extern "C" __global__ void transpose_rectangular_naive(const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < WIDTH && y < HEIGHT) out[x * HEIGHT + y] = in[y * WIDTH + x];
}
