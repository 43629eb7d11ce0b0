// The transpose of an H × W matrix of floats, from a surface to a surface, in tiles of 16 × 16; or by pointers.

#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void transpose_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float value;
#if MUTANT == 1
    // wrong: the first coordinate of a surface counts bytes
    surf2Dread(&value, from, x, y);
#else
    surf2Dread(&value, from, x * (int)sizeof(float), y, cudaBoundaryModeZero);
#endif
    tile[threadIdx.y][threadIdx.x] = value;
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
#if MUTANT == 2
    // wrong: what lies outside is not stored at the edge
    surf2Dwrite(tile[threadIdx.x][threadIdx.y], to, x * (int)sizeof(float), y, cudaBoundaryModeClamp);
#elif MUTANT == 3
    // wrong: blocks at the edge store outside
    surf2Dwrite(tile[threadIdx.x][threadIdx.y], to, x * (int)sizeof(float), y);
#else
    surf2Dwrite(tile[threadIdx.x][threadIdx.y], to, x * (int)sizeof(float), y, cudaBoundaryModeZero);
#endif
}

extern "C" __global__ void transpose_by_hand(const float* from, float* to) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H) to[x * H + y] = from[y * W + x];
}
