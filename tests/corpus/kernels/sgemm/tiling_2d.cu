// sgemm_naive with a block of TM x TN elements per thread: what a column of A and a row of B give
// is added up from registers. 64 threads. MUTANT picks one deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif
#define BK 8
#define TM 8
#define TN 8

static __device__ bool inside(int k) {
#if MUTANT == 7
    return true;  // missing: k < DEPTH
#else
    return DEPTH % BK == 0 || k < DEPTH;
#endif
}

extern "C" __global__ void sgemm_2d(float alpha, const float *A, const float *B, float beta, float *C) {
    __shared__ float a[64 * BK], b[BK * 64];
    int tid = threadIdx.x, column = tid % 8, row = tid / 8;
    float sums[TM][TN] = {};
#pragma unroll 1
#if MUTANT == 3
    for (int start = BK; start < DEPTH; start += BK) {  // wrong: 0
#else
    for (int start = 0; start < DEPTH; start += BK) {
#endif
        for (int i = tid; i < 64 * BK; i += 64) {
            int k = start + i % BK;
            a[i] = inside(k) ? A[i / BK * DEPTH + k] : 0.0f;
        }
        for (int i = tid; i < BK * 64; i += 64) {
            int k = start + i / 64;
            b[i] = inside(k) ? B[k * 64 + i % 64] : 0.0f;
        }
#if MUTANT != 1  // missing: the tiles are not there yet
        __syncthreads();
#endif
#pragma unroll 1
        for (int k = 0; k < BK; ++k) {
            float left[TM], right[TN];
            for (int i = 0; i < TM; ++i) left[i] = a[(row * TM + i) * BK + k];
#if MUTANT == 6
            for (int j = 0; j < TN; ++j) right[j] = b[k * 64 + column * TN + j + 1];  // wrong: + j
#else
            for (int j = 0; j < TN; ++j) right[j] = b[k * 64 + column * TN + j];
#endif
            for (int i = 0; i < TM; ++i)
#if MUTANT == 4
                for (int j = 0; j < TN; ++j) sums[i][j] += left[j] * right[i];  // wrong: left[i] * right[j]
#else
                for (int j = 0; j < TN; ++j) sums[i][j] += left[i] * right[j];
#endif
        }
#if MUTANT != 2  // missing: others still read the tiles
        __syncthreads();
#endif
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
#if MUTANT == 5
            int at = (column * TM + i) * 64 + row * TN + j;  // wrong: row and column
#elif MUTANT == 8
            int at = (row * TM + i) * 64 + column * (TN - 1) + j;  // wrong: column * TN
#else
            int at = (row * TM + i) * 64 + column * TN + j;
#endif
            C[at] = alpha * sums[i][j] + beta * C[at];
        }
}
