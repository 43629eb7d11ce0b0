// Sums over seven points in three dimensions, 12 × 20 × 24 with zeros around: with guards, and from boxes of
// 6 × 10 × 16 for bricks of 4 × 8 × 8.
// WRONG 1: the box begins one plane too late.
#ifndef WRONG
#define WRONG 0
#endif
#include "maps.h"
constexpr int NZ = 12, NY = 20, NX = 24;
__device__ float at(const float *x, int k, int j, int i) {
    bool inside = k >= 0 && k < NZ && j >= 0 && j < NY && i >= 0 && i < NX;
    return inside ? x[(k * NY + j) * NX + i] : 0.0f;
}
extern "C" __global__ void ref(const float *x, float *y) {
    int i = blockIdx.x * 8 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, k = blockIdx.z * 4 + threadIdx.z;
    if (j >= NY) return;
    float sum = at(x, k - 1, j, i) + at(x, k + 1, j, i) + at(x, k, j - 1, i) + at(x, k, j + 1, i) +
                at(x, k, j, i - 1) + at(x, k, j, i + 1);
    y[(k * NY + j) * NX + i] = sum - 6.0f * at(x, k, j, i);
}

extern "C" __global__ void opt(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y) {
    __shared__ alignas(128) float in[6][10][16], out[4][8][8];
    __shared__ u64 full;
    int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z;
    int x0 = blockIdx.x * 8, y0 = blockIdx.y * 8, z0 = blockIdx.z * 4;
    if (i + j + k == 0) {
        init(&full, 1);
        init_done();
        expect(&full, sizeof in);
        load(in, &x, &full, x0 - 4, y0 - 1, WRONG == 1 ? z0 : z0 - 1); // wrong: 1
    }
    __syncthreads();
    wait(&full, 0);
    float sum = in[k][j + 1][i + 4] + in[k + 2][j + 1][i + 4] + in[k + 1][j][i + 4] + in[k + 1][j + 2][i + 4] +
                in[k + 1][j + 1][i + 3] + in[k + 1][j + 1][i + 5];
    out[k][j][i] = sum - 6.0f * in[k + 1][j + 1][i + 4];
    fence_proxy();
    __syncthreads();
    if (i + j + k == 0) {
        store(&y, out, x0, y0, z0);
        commit();
        wait_read<0>();
    }
}
