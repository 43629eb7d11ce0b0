// A stencil of seven points in one dimension, over an array of any length: tiles with a halo.
#ifndef MUTANT
#define MUTANT 0
#endif
#define RADIUS 3
#define BLOCK 128

extern "C" __global__ void stencil(int n, const float *x, float *y) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int at = blockIdx.x * BLOCK + threadIdx.x, own = threadIdx.x + RADIUS;
    tile[own] = at < n ? x[at] : 0.0f;
    if (threadIdx.x < RADIUS) {
#if MUTANT == 1
        tile[own - RADIUS] = x[at - RADIUS];  // missing: the guard of the left edge
#else
        tile[own - RADIUS] = at >= RADIUS && at - RADIUS < n ? x[at - RADIUS] : 0.0f;
#endif
#if MUTANT == 2
        tile[own + BLOCK + 1] = at + BLOCK < n ? x[at + BLOCK] : 0.0f;  // wrong: the halo is one too far
#else
        tile[own + BLOCK] = at + BLOCK < n ? x[at + BLOCK] : 0.0f;
#endif
    }
#if MUTANT != 3  // missing: the barrier
    __syncthreads();
#endif
    float sum = 0.0f;
#if MUTANT == 4
    for (int i = -RADIUS; i <= RADIUS + 1; i++) sum += tile[own + i];  // wrong: one point too many
#else
    for (int i = -RADIUS; i <= RADIUS; i++) sum += tile[own + i];
#endif
    if (at < n) y[at] = sum;
}
