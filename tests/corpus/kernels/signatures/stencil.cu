// Three-point stencil with zeros beyond the ends: each thread reads its neighbours (FORM 0), or a block of 64 shares a
// tile with a halo (FORM 1; wrong: FORM 2 does not ask whether the element behind the tile is there).
#if FORM == 0
__global__ void stencil(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float l = i > 0 ? x[i - 1] : 0.f, r = i + 1 < n ? x[i + 1] : 0.f;
        y[i] = 0.25f * l + 0.5f * x[i] + 0.25f * r;
    }
}
#else
__global__ void stencil_tiled(const float* x, float* y, int n) {
    __shared__ float tile[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tile[t + 1] = i < n ? x[i] : 0.f;
    if (t == 0) tile[0] = i > 0 ? x[i - 1] : 0.f;
#if FORM == 1
    if (t == 63) tile[65] = i + 1 < n ? x[i + 1] : 0.f;
#else
    if (t == 63) tile[65] = x[i + 1]; // wrong: not for the last tile
#endif
    __syncthreads();
    if (i < n) y[i] = 0.25f * tile[t] + 0.5f * tile[t + 1] + 0.25f * tile[t + 2];
}
#endif
