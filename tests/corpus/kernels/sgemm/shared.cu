// sgemm_naive through tiles of BK columns of A and BK rows of B in shared memory; 512 threads, each
// with eight elements of one column, one after the other. Where BK does not divide DEPTH, zeros
// fill the last tile. MUTANT picks one deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif

static __device__ bool inside(int k) {
#if MUTANT == 9
    return true;  // missing: k < DEPTH
#elif MUTANT == 10
    return DEPTH % BK == 0 || k <= DEPTH;  // wrong: k < DEPTH
#else
    return DEPTH % BK == 0 || k < DEPTH;
#endif
}

extern "C" __global__ void sgemm_shared(float alpha, const float *A, const float *B, float beta, float *C) {
    __shared__ float a[64][BK], b[BK][64];
    int tid = threadIdx.x, column = tid % 64, row = tid / 64;
#if MUTANT == 7
    float sums[8] = {1.0f};  // wrong: 0
#else
    float sums[8] = {};
#endif
#pragma unroll 1
#if MUTANT == 3
    for (int start = 0; start < DEPTH - BK; start += BK) {  // wrong: DEPTH
#elif MUTANT == 6
    for (int start = 0; start < DEPTH; start += BK / 2) {  // wrong: BK
#else
    for (int start = 0; start < DEPTH; start += BK) {
#endif
        for (int i = tid; i < 64 * BK; i += 512) {
            int k = start + i % BK;
#if MUTANT == 11
            if (inside(k)) a[i / BK][i % BK] = A[i / BK * DEPTH + k];  // missing: or zero
#else
            a[i / BK][i % BK] = inside(k) ? A[i / BK * DEPTH + k] : 0.0f;
#endif
        }
        for (int i = tid; i < BK * 64; i += 512) {
            int k = start + i / 64;
#if MUTANT == 5
            b[i / 64][i % 64] = inside(k) ? B[k * 65 + i % 64] : 0.0f;  // wrong: 64
#elif MUTANT == 11
            if (inside(k)) b[i / 64][i % 64] = B[k * 64 + i % 64];
#else
            b[i / 64][i % 64] = inside(k) ? B[k * 64 + i % 64] : 0.0f;
#endif
        }
#if MUTANT != 1  // missing: the tiles are not there yet
        __syncthreads();
#endif
#pragma unroll
        for (int r = 0; r < 8; ++r)
#pragma unroll 4
            for (int k = 0; k < BK; ++k)
#if MUTANT == 4
                sums[r] += a[row + 8 * r + 1][k] * b[k][column];  // wrong: row + 8 * r
#elif MUTANT == 8
                sums[r] += a[row + r][k] * b[k][column];  // wrong: row + 8 * r
#else
                sums[r] += a[row + 8 * r][k] * b[k][column];
#endif
#if MUTANT != 2  // missing: others still read the tiles
        __syncthreads();
#endif
    }
    for (int r = 0; r < 8; ++r) {
        int i = (row + 8 * r) * 64 + column;
        C[i] = alpha * sums[r] + beta * C[i];
    }
}
