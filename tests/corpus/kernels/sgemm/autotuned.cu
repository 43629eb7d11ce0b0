// sgemm_vectorised with the sizes open: BK is the depth of a tile, a thread computes blocks of
// TM x TN elements, 8 * TM rows and 8 * TN columns apart, until all of the 64 x 64 are done. 64
// threads. MUTANT picks one deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif
#define ROWS (8 * TM)
#define COLUMNS (8 * TN)

extern "C" __global__ void sgemm_autotuned(float alpha, const float *__restrict__ A,
                                           const float *__restrict__ B, float beta, float *__restrict__ C) {
    __shared__ __align__(16) float a[BK * 64], b[BK * 64];
    int tid = threadIdx.x, column = tid % 8, row = tid / 8;
    float sums[64 / ROWS][64 / COLUMNS][TM][TN] = {};
#pragma unroll 1
#if MUTANT == 3
    for (int start = 0; start < DEPTH - BK; start += BK) {  // wrong: DEPTH
#else
    for (int start = 0; start < DEPTH; start += BK) {
#endif
#pragma unroll 2
#if MUTANT == 5
        for (int i = tid; i < 64 * BK / 8; i += 64) {  // wrong: 64 * BK / 4
#else
        for (int i = tid; i < 64 * BK / 4; i += 64) {
#endif
            int r = i / (BK / 4), k = i % (BK / 4) * 4;
            float4 v = *reinterpret_cast<const float4 *>(A + r * DEPTH + start + k);
            a[k * 64 + r] = v.x;
            a[(k + 1) * 64 + r] = v.y;
            a[(k + 2) * 64 + r] = v.z;
            a[(k + 3) * 64 + r] = v.w;
        }
#pragma unroll 2
        for (int i = tid; i < BK * 64 / 4; i += 64)
            reinterpret_cast<float4 *>(b)[i] = reinterpret_cast<const float4 *>(B + start * 64)[i];
#if MUTANT != 1  // missing: the tiles are not there yet
        __syncthreads();
#endif
#if MUTANT == 6
        for (int i = 0; i < TM; ++i) sums[0][0][i][0] = 0.0f;  // wrong: only once
#endif
        for (int m = 0; m < 64 / ROWS; ++m)
            for (int n = 0; n < 64 / COLUMNS; ++n)
#pragma unroll 1
                for (int k = 0; k < BK; ++k) {
                    float left[TM], right[TN];
                    for (int i = 0; i < TM; ++i) left[i] = a[k * 64 + m * ROWS + row * TM + i];
#if MUTANT == 4
                    for (int j = 0; j < TN; ++j) right[j] = b[k * 64 + m * COLUMNS + column * TN + j];  // wrong: n
#else
                    for (int j = 0; j < TN; ++j) right[j] = b[k * 64 + n * COLUMNS + column * TN + j];
#endif
                    for (int i = 0; i < TM; ++i)
                        for (int j = 0; j < TN; ++j) sums[m][n][i][j] += left[i] * right[j];
                }
#if MUTANT != 2  // missing: others still read the tiles
        __syncthreads();
#endif
    }
    for (int m = 0; m < 64 / ROWS; ++m)
        for (int n = 0; n < 64 / COLUMNS; ++n)
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) {
                    int at = (m * ROWS + row * TM + i) * 64 + n * COLUMNS + column * TN + j;
#if MUTANT == 7
                    C[at] = alpha * (sums[m][n][i][j] + beta * C[at]);  // wrong: alpha for the product only
#elif MUTANT == 8
                    C[at] = alpha * sums[m][n][j][i] + beta * C[at];  // wrong: [i][j]
#else
                    C[at] = alpha * sums[m][n][i][j] + beta * C[at];
#endif
                }
}
