// FlashAttention-1: K and V pass through shared memory in tiles of TILE keys; the running maximum
// and sum of every row correct what earlier tiles have left, and the output stays normalised after
// every tile; with DEFER it is normalised once, at the end. Q is ROWS x DIM, K and V are KEYS x DIM, all f32 on CUDA cores; one block of any size.
// With CAUSAL, row i is at position START + i: keys behind it are masked inside the tile, or, with
// SKIP, tiles that no row sees are not visited at all. MUTANT picks one deliberate fault.
#include <math_constants.h>

#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void flash1(const float *Q, const float *K, const float *V, float *O) {
    __shared__ float q[ROWS][DIM], k[TILE][DIM], v[TILE][DIM], p[ROWS][TILE], o[ROWS][DIM];
    __shared__ float largest[ROWS], sum[ROWS], keep[ROWS], gain[ROWS];
    int tid = threadIdx.x, threads = blockDim.x;

    for (int i = tid; i < ROWS * DIM; i += threads) {
        q[i / DIM][i % DIM] = Q[i];
#if MUTANT != 7  // missing: o starts at zero
        o[i / DIM][i % DIM] = 0.0f;
#endif
    }
    for (int row = tid; row < ROWS; row += threads) {
#if MUTANT == 20  // no fault over the reals: any starting point below infinity cancels
        largest[row] = 0.0f;
#else
        largest[row] = -CUDART_INF_F;
#endif
        sum[row] = 0.0f;
    }

#ifdef SKIP
    const int last = START + ROWS;  // keys that some row sees
#else
    const int last = KEYS;
#endif
#if MUTANT == 5  // wrong: the last tile is skipped
    const int stop = last - TILE;
#elif MUTANT == 6  // wrong: one tile too many
    const int stop = last + TILE;
#elif MUTANT == 15  // wrong: stops at the first row's last key
    const int stop = last - ROWS + 1;
#else
    const int stop = last;
#endif
#pragma unroll 1
    for (int first = 0; first < stop; first += TILE) {
#if MUTANT != 1  // missing: the slowest thread may still read the tile before
        __syncthreads();
#endif
        for (int i = tid; i < TILE * DIM; i += threads) {
            k[i / DIM][i % DIM] = K[first * DIM + i];
            v[i / DIM][i % DIM] = V[first * DIM + i];
        }
#if MUTANT != 2  // missing: the tile is not there yet
        __syncthreads();
#endif

        for (int i = tid; i < ROWS * TILE; i += threads) {
            int row = i / TILE, key = i % TILE;
            float score = 0.0f;
#pragma unroll 4
            for (int d = 0; d < DIM; ++d) score += q[row][d] * k[key][d];
            score *= SCALE;
#if MUTANT == 8  // wrong: scaled twice
            score *= SCALE;
#endif
#ifdef CAUSAL
#if MUTANT == 11  // wrong: the mask is inverted
            if (first + key <= START + row) score = -CUDART_INF_F;
#elif MUTANT == 12  // wrong: the row's own key is masked
            if (first + key >= START + row) score = -CUDART_INF_F;
#elif MUTANT == 13  // wrong: the key's place in the tile, not in K
            if (key > START + row) score = -CUDART_INF_F;
#elif MUTANT == 14  // wrong: masked keys count as zero, not as minus infinity
            if (first + key > START + row) score = 0.0f;
#elif MUTANT == 16  // missing: START
            if (first + key > row) score = -CUDART_INF_F;
#else
            if (first + key > START + row) score = -CUDART_INF_F;
#endif
#endif
            p[row][key] = score;
        }
#if MUTANT != 3  // missing: the scores of the row are not complete
        __syncthreads();
#endif

        for (int row = tid; row < ROWS; row += threads) {
#if MUTANT == 21  // no fault over the reals: the maximum of the last tile does as well
            float most = -CUDART_INF_F;
#else
            float most = largest[row];
#endif
            for (int key = 0; key < TILE; ++key) most = fmaxf(most, p[row][key]);
            float part = 0.0f;
            for (int key = 0; key < TILE; ++key) {
                p[row][key] = expf(p[row][key] - most);
                part += p[row][key];
            }
#if MUTANT == 9  // missing: the old sum is not rescaled
            float before = sum[row];
#else
            float before = sum[row] * expf(largest[row] - most);
#endif
            float now = before + part;
#if MUTANT == 10  // missing: the old output is not rescaled to the new maximum
            keep[row] = sum[row] / now;
#else
#if defined(DEFER) && MUTANT == 22  // missing: the old output is not rescaled
            keep[row] = 1.0f;
#elif defined(DEFER)
            keep[row] = expf(largest[row] - most);
#else
            keep[row] = before / now;
#endif
#endif
#if defined(DEFER) && MUTANT != 23  // mutant 23: divided by the sum here and at the end
            gain[row] = 1.0f;
#else
            gain[row] = 1.0f / now;
#endif
            largest[row] = most;
            sum[row] = now;
        }
#if MUTANT != 4  // missing: the factors of the row are not there yet
        __syncthreads();
#endif

        for (int i = tid; i < ROWS * DIM; i += threads) {
            int row = i / DIM, d = i % DIM;
            float part = 0.0f;
#pragma unroll 4
            for (int key = 0; key < TILE; ++key) part += p[row][key] * v[key][d];
            o[row][d] = o[row][d] * keep[row] + part * gain[row];
        }
    }
#if defined(DEFER) && MUTANT == 25  // wrong: the sum of a neighbouring row
    for (int i = tid; i < ROWS * DIM; i += threads) O[i] = o[i / DIM][i % DIM] / sum[(i / DIM + 1) % ROWS];
#elif defined(DEFER) && MUTANT != 24  // mutant 24: never divided by the sum
    for (int i = tid; i < ROWS * DIM; i += threads) O[i] = o[i / DIM][i % DIM] / sum[i / DIM];
#else
    for (int i = tid; i < ROWS * DIM; i += threads) O[i] = o[i / DIM][i % DIM];
#endif
}
