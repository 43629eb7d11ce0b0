// Tiles are handed out by a counter: a CTA takes the next one until there are none left. FORM 0: one tile per CTA.
extern "C" __global__ void scale(const float *x, float *y, unsigned *next, unsigned tiles) {
#if FORM == 0
    unsigned tile = blockIdx.x;
    y[tile * blockDim.x + threadIdx.x] = 2.0f * x[tile * blockDim.x + threadIdx.x];
    if (tile == 0 && threadIdx.x == 0) *next = 0;
#else
    __shared__ unsigned taken;
    for (;;) {
        if (threadIdx.x == 0) taken = atomicAdd(next, 1);
        __syncthreads();
        unsigned tile = taken;
        __syncthreads();
        if (tile >= tiles) break;
        y[tile * blockDim.x + threadIdx.x] = 2.0f * x[tile * blockDim.x + threadIdx.x];
    }
#endif
}
