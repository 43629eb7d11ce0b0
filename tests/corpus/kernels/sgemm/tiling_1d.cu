// sgemm_naive with TM elements of one column per thread: a value of B, once in a register, serves
// all of them. 512 threads, each loads one element of either tile. MUTANT picks one deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif
#define BK 8
#define TM 8

static __device__ bool inside(int k) {
#if MUTANT == 8
    return true;  // missing: k < DEPTH
#else
    return DEPTH % BK == 0 || k < DEPTH;
#endif
}

extern "C" __global__ void sgemm_1d(float alpha, const float *A, const float *B, float beta, float *C) {
    __shared__ float a[64 * BK], b[BK * 64];
    int tid = threadIdx.x, column = tid % 64, row = tid / 64;
    int a_row = tid / BK, a_column = tid % BK;
    float sums[TM] = {};
#pragma unroll 1
#if MUTANT == 3
    for (int start = 0; start < DEPTH - BK; start += BK) {  // wrong: DEPTH
#else
    for (int start = 0; start < DEPTH; start += BK) {
#endif
        a[a_row * BK + a_column] = inside(start + a_column) ? A[a_row * DEPTH + start + a_column] : 0.0f;
        b[row * 64 + column] = inside(start + row) ? B[(start + row) * 64 + column] : 0.0f;
#if MUTANT != 1  // missing: the tiles are not there yet
        __syncthreads();
#endif
        for (int k = 0; k < BK; ++k) {
#if MUTANT == 5
            float right = b[column];  // wrong: b[k * 64 + column]
#else
            float right = b[k * 64 + column];
#endif
#if MUTANT == 7
            for (int i = 0; i < TM - 1; ++i)  // wrong: TM
#else
            for (int i = 0; i < TM; ++i)
#endif
#if MUTANT == 4
                sums[i] += a[(row + i) * BK + k] * right;  // wrong: row * TM + i
#else
                sums[i] += a[(row * TM + i) * BK + k] * right;
#endif
        }
#if MUTANT != 2  // missing: others still read the tiles
        __syncthreads();
#endif
    }
    for (int i = 0; i < TM; ++i) {
#if MUTANT == 6
        int at = (row + TM * i) * 64 + column;  // wrong: row * TM + i
#else
        int at = (row * TM + i) * 64 + column;
#endif
        C[at] = alpha * sums[i] + beta * C[at];
    }
}
