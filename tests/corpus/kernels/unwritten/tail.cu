// Rows of 30 floats in shared memory, 32 apart, of which the last two places are never written; four floats are
// loaded at a time, and what lies behind the row is discarded. Launch: 8 threads. MUT 1: it is not.
#ifndef MUT
#define MUT 0
#endif

extern "C" __global__ void ref(const float *x, float *y) {
    float sum = 0;
    for (int i = 0; i < 30; ++i) sum += x[30 * threadIdx.x + i];
    y[threadIdx.x] = sum;
}

extern "C" __global__ void fast(const float *x, float *y) {
    __shared__ __align__(16) float rows[8][32];
    int t = threadIdx.x;
    for (int i = 0; i < 30; ++i) rows[t][i] = x[30 * t + i];
    __syncthreads();
    float sum = 0;
    int row = 7 - t;
    for (int i = 0; i < 32; i += 4) {
        float4 four = *(float4 *)&rows[row][i];
        float each[4] = {four.x, four.y, four.z, four.w};
        for (int k = 0; k < 4; ++k)
#if MUT == 1
            if (i + k < 31) sum += each[k];  // wrong: 30
#else
            if (i + k < 30) sum += each[k];
#endif
    }
    y[row] = sum;
}
