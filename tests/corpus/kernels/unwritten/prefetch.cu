// Sums of 8 tiles of 32 floats: from memory, and through two buffers of which the second is fetched ahead. The
// last turn fetches what is not there and does not use it. Launch: 32 threads. MUT 1: the last turn adds it.
#ifndef MUT
#define MUT 0
#endif
#define TILES 8

extern "C" __global__ void ref(const float *x, float *y) {
    float sum = 0;
    for (int k = 0; k < TILES; ++k) sum += x[32 * k + threadIdx.x];
    y[threadIdx.x] = sum;
}

extern "C" __global__ void fast(const float *x, float *y) {
    __shared__ float tiles[TILES + 1][32];
    int t = threadIdx.x;
    for (int k = 0; k < TILES; ++k) tiles[k][t] = x[32 * k + t];
    __syncthreads();
    volatile float *mine = &tiles[0][31 - t];
    float sum = 0, next = mine[0];
    for (int k = 0; k < TILES; ++k) {
        float now = next;
        next = mine[32 * (k + 1)];
        sum += now;
    }
#if MUT == 1
    sum += next;  // wrong: nobody wrote it
#endif
    y[31 - t] = sum;
}
