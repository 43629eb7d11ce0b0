// FlashAttention-1 on tensor cores through wmma: Q, K and V are f16, O is f32. Warp w computes the
// scores of 16 keys of each tile and 16 columns of the output, so TILE = DIM = 16 * WARPS and there
// are 16 rows. Scores and the running output live in shared memory in f32, P in f16; the running
// output is loaded as the accumulator of the second product. One block of 32 * WARPS threads.
// With CAUSAL, row i is at position START + i: keys behind it are masked inside the tile, or, with
// SKIP, tiles that no row sees are not visited. MUTANT picks one deliberate fault.
#include <cuda_fp16.h>
#include <math_constants.h>
#include <mma.h>
using namespace nvcuda;

#ifndef MUTANT
#define MUTANT 0
#endif
#define ROWS 16
#define TILE (16 * WARPS)
#define DIM (16 * WARPS)
#define PAD 8

extern "C" __global__ void flash1_wmma(const half *Q, const half *K, const half *V, float *O) {
    __shared__ __align__(32) half q[ROWS][DIM + PAD], k[TILE][DIM + PAD], v[TILE][DIM + PAD];
    __shared__ __align__(32) half p[ROWS][TILE + PAD];
    __shared__ __align__(32) float s[ROWS][TILE + PAD], o[ROWS][DIM + PAD];
    __shared__ float largest[ROWS], sum[ROWS], keep[ROWS];
    const int tid = threadIdx.x, warp = tid / 32, threads = 32 * WARPS;

    for (int i = tid; i < ROWS * DIM; i += threads) {
        q[i / DIM][i % DIM] = Q[i];
        o[i / DIM][i % DIM] = 0.0f;
    }
    if (tid < ROWS) {
        largest[tid] = -CUDART_INF_F;
        sum[tid] = 0.0f;
    }

#ifdef SKIP
    const int last = START + ROWS;
#else
    const int last = KEYS;
#endif
#if MUTANT == 6  // wrong: the last tile is skipped
    const int stop = last - TILE;
#else
    const int stop = last;
#endif
#pragma unroll 1
    for (int first = 0; first < stop; first += TILE) {
#if MUTANT != 1  // missing: a slow warp may still read the tile before
        __syncthreads();
#endif
        for (int i = tid; i < TILE * DIM; i += threads) {
            k[i / DIM][i % DIM] = K[first * DIM + i];
            v[i / DIM][i % DIM] = V[first * DIM + i];
        }
        __syncthreads();

        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
        {
#if MUTANT == 8  // wrong: K is read as if it were transposed already
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
#else
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
#endif
            wmma::fill_fragment(c, 0.0f);
            for (int d = 0; d < DIM; d += 16) {
                wmma::load_matrix_sync(a, &q[0][d], DIM + PAD);
                wmma::load_matrix_sync(b, &k[warp * 16][d], DIM + PAD);
                wmma::mma_sync(c, a, b, c);
            }
            // Whatever the mapping of a fragment is, one factor for all of it is safe.
            for (int i = 0; i < c.num_elements; ++i) c.x[i] *= SCALE;
#if MUTANT == 7  // wrong: scaled twice
            for (int i = 0; i < c.num_elements; ++i) c.x[i] *= SCALE;
#endif
            wmma::store_matrix_sync(&s[0][warp * 16], c, TILE + PAD, wmma::mem_row_major);
        }
#if MUTANT != 2  // missing: the scores of the other warps
        __syncthreads();
#endif

        if (tid < ROWS) {
            float most = largest[tid];
            for (int key = 0; key < TILE; ++key) {
#ifdef CAUSAL
#if MUTANT == 9  // wrong: the row's own key is masked
                if (first + key >= START + tid) s[tid][key] = -CUDART_INF_F;
#elif MUTANT == 11  // missing: START
                if (first + key > tid) s[tid][key] = -CUDART_INF_F;
#elif MUTANT == 12  // wrong: the key's place in the tile, not in K
                if (key > START + tid) s[tid][key] = -CUDART_INF_F;
#elif MUTANT == 13  // wrong: masked keys count as zero, not as minus infinity
                if (first + key > START + tid) s[tid][key] = 0.0f;
#else
                if (first + key > START + tid) s[tid][key] = -CUDART_INF_F;
#endif
#endif
                most = fmaxf(most, s[tid][key]);
            }
            float part = 0.0f;
            for (int key = 0; key < TILE; ++key) {
                float e = expf(s[tid][key] - most);
                part += e;
                p[tid][key] = __float2half(e);
            }
            float rescale = expf(largest[tid] - most);
#if MUTANT == 4  // missing: the old sum is not rescaled
            sum[tid] = sum[tid] + part;
#else
            sum[tid] = sum[tid] * rescale + part;
#endif
#if MUTANT == 5  // wrong: the old output is not rescaled
            keep[tid] = 1.0f;
#else
            keep[tid] = rescale;
#endif
            largest[tid] = most;
        }
#if MUTANT != 3  // missing: P is not there yet
        __syncthreads();
#endif

        for (int i = tid; i < ROWS * DIM; i += threads) o[i / DIM][i % DIM] *= keep[i / DIM];
        __syncthreads();
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
        wmma::load_matrix_sync(c, &o[0][warp * 16], DIM + PAD, wmma::mem_row_major);
        for (int key = 0; key < TILE; key += 16) {
            wmma::load_matrix_sync(a, &p[0][key], TILE + PAD);
            wmma::load_matrix_sync(b, &v[key][warp * 16], DIM + PAD);
            wmma::mma_sync(c, a, b, c);
        }
#if MUTANT != 10  // missing: which lane loads what a lane stores is not specified
        __syncwarp();
#endif
        wmma::store_matrix_sync(&o[0][warp * 16], c, DIM + PAD, wmma::mem_row_major);
    }
    __syncthreads();
    for (int i = tid; i < ROWS * DIM; i += threads) O[i] = o[i / DIM][i % DIM] / sum[i / DIM];
}
