// C = alpha A B + beta C for a 64 x DEPTH matrix A and a DEPTH x 64 matrix B, row-major, element by
// element in one block of 512 threads. Neighbouring threads take neighbouring rows or, with
// COALESCED, neighbouring columns. MUTANT picks one deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void sgemm_naive(float alpha, const float *A, const float *B, float beta, float *C) {
#if MUTANT == 4
    float sum = 0.0f;  // wrong: set to zero only once
#endif
#if MUTANT == 5
    for (int i = threadIdx.x; i <= 64 * 64; i += 512) {  // wrong: <
#elif MUTANT == 6
    for (int i = threadIdx.x; i < 64 * 64; i += 513) {  // wrong: 512
#else
    for (int i = threadIdx.x; i < 64 * 64; i += 512) {
#endif
#ifdef COALESCED
        int row = i / 64, column = i % 64;
#else
        int row = i % 64, column = i / 64;
#endif
#if MUTANT != 4
        float sum = 0.0f;
#endif
#if MUTANT == 1
        for (int k = 0; k < DEPTH - 1; ++k)  // wrong: DEPTH
#else
#pragma unroll 4
        for (int k = 0; k < DEPTH; ++k)
#endif
#if MUTANT == 2
            sum += A[row * DEPTH + k] * B[k * 64 + column + 1];  // wrong: column
#else
            sum += A[row * DEPTH + k] * B[k * 64 + column];
#endif
#if MUTANT == 3
        C[column * 64 + row] = alpha * sum + beta * C[column * 64 + row];  // wrong: row * 64 + column
#else
        C[row * 64 + column] = alpha * sum + beta * C[row * 64 + column];
#endif
    }
}
