// FlashAttention-2 on tensor cores: Q, K and V are f16, O is f16 (f32 with OUT32). Each warp owns
// 16 rows of Q and keeps them as fragments; K and V arrive in tiles of TILE keys by cp.async, each
// in two buffers. Scores stay in the accumulators of mma.m16n8k16, become P in f16 in registers,
// and are multiplied by V at once. The scale is folded with log2(e) into one factor before exp2,
// and the division by the sum waits until the end. Rows of shared memory are swizzled: 16-byte
// chunk c of row r lies at c ^ (r mod CHUNKS). One block of 32 * WARPS threads, ROWS = 16 * WARPS.
// With CAUSAL, row i is at position START + i: keys behind it are masked inside the tile, or, with
// SKIP, tiles that no row of the block sees are not visited. MUTANT picks one deliberate fault.
#include <cuda_fp16.h>
#include <math_constants.h>

#ifndef MUTANT
#define MUTANT 0
#endif
#define ROWS (16 * WARPS)
#define CHUNKS (DIM / 8)
#define THREADS (32 * WARPS)

__device__ __forceinline__ void copy16(void *to, const void *from) {
    unsigned address = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT> __device__ __forceinline__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
__device__ __forceinline__ void load4(unsigned (&r)[4], const void *from) {
    unsigned address = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}
__device__ __forceinline__ void load4_transposed(unsigned (&r)[4], const void *from) {
    unsigned address = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ unsigned pack(float low, float high) {
#if MUTANT == 11  // wrong: the two halves are swapped
    half2 h = __floats2half2_rn(high, low);
#else
    half2 h = __floats2half2_rn(low, high);
#endif
    return *reinterpret_cast<unsigned *>(&h);
}
// Where chunk c of row r lies.
__device__ __forceinline__ int at(int r, int c) { return r * DIM + ((c ^ (r % CHUNKS)) * 8); }

// Starts copying `rows` rows of DIM halves.
__device__ __forceinline__ void fill(half *to, const half *from, int rows) {
    for (int i = threadIdx.x; i < rows * CHUNKS; i += THREADS)
        copy16(to + at(i / CHUNKS, i % CHUNKS), from + i * 8);
}

#ifdef OUT32
typedef float Out;
#else
typedef half Out;
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
flash2(const half *Q, const half *K, const half *V, Out *O) {
    __shared__ __align__(16) half q[ROWS * DIM], k[2][TILE * DIM], v[2][TILE * DIM];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int group = lane / 4, pair = lane % 4;  // rows group and group + 8, columns 2 * pair + {0, 1}
    const float factor = SCALE * 1.44269504088896341f;

#if defined(SKIP) && MUTANT == 21  // wrong: rounded down
    const int tiles = (START + ROWS) / TILE;
#elif defined(SKIP)
    const int tiles = (START + ROWS + TILE - 1) / TILE;
#else
    const int tiles = KEYS / TILE;
#endif

    fill(q, Q, ROWS);
    fill(k[0], K, TILE);
    commit();

    unsigned rows[DIM / 16][4];
    float out[DIM / 8][4] = {};
    float largest[2] = {-CUDART_INF_F, -CUDART_INF_F}, sum[2] = {0.0f, 0.0f};

#if MUTANT == 9  // wrong: the last tile is skipped
#pragma unroll 1
    for (int tile = 0; tile < tiles - 1; ++tile) {
#else
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
#endif
        const int now = tile % 2;
        fill(v[now], V + tile * TILE * DIM, TILE);
        commit();
#if MUTANT == 1  // wrong: two groups may be left, so the tile of K need not be there
        wait<2>();
#else
        wait<1>();
#endif
#if MUTANT != 2  // missing: the other threads' copies
        __syncthreads();
#endif
        if (tile == 0)
            for (int d = 0; d < DIM / 16; ++d)
                load4(rows[d], q + at(warp * 16 + lane % 16, 2 * d + lane / 16));

        // Scores: 16 rows by TILE keys.
        float score[TILE / 8][4] = {};
#pragma unroll
        for (int n = 0; n < TILE / 16; ++n) {
#pragma unroll
            for (int d = 0; d < DIM / 16; ++d) {
                unsigned b[4];
                load4(b, k[now] + at(n * 16 + lane % 8 + lane / 16 * 8, 2 * d + lane / 8 % 2));
                mma(score[2 * n], rows[d], b[0], b[1]);
                mma(score[2 * n + 1], rows[d], b[2], b[3]);
            }
        }
        // The next tile of K; an empty group at the end keeps the count.
#if MUTANT == 3  // wrong: into the buffer that slow warps still read
        if (tile + 1 < tiles) fill(k[now], K + (tile + 1) * TILE * DIM, TILE);
#else
        if (tile + 1 < tiles) fill(k[1 - now], K + (tile + 1) * TILE * DIM, TILE);
#endif
#if MUTANT == 15  // wrong: no empty group after the last tile, so the wait covers one group too few
        if (tile + 1 < tiles) commit();
#else
        commit();
#endif

#ifdef CAUSAL
#pragma unroll
        for (int n = 0; n < TILE / 8; ++n)
            for (int i = 0; i < 4; ++i) {
                int key = tile * TILE + n * 8 + pair * 2 + i % 2;
                int position = START + warp * 16 + group + i / 2 * 8;
#if MUTANT == 16  // wrong: the mask is inverted
                if (key <= position) score[n][i] = -CUDART_INF_F;
#elif MUTANT == 17  // wrong: the second half of the fragment has the rows of the first
                if (key > position - i / 2 * 8) score[n][i] = -CUDART_INF_F;
#elif MUTANT == 18  // missing: START
                if (key > position - START) score[n][i] = -CUDART_INF_F;
#elif MUTANT == 19  // wrong: the row's own key is masked
                if (key >= position) score[n][i] = -CUDART_INF_F;
#elif MUTANT == 20  // missing: the rows of the warps before
                if (key > position - warp * 16) score[n][i] = -CUDART_INF_F;
#else
                if (key > position) score[n][i] = -CUDART_INF_F;
#endif
            }
#endif

        // Online softmax; i = 0 is row group, i = 1 is row group + 8, each shared by four lanes.
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            float before = largest[i];
            for (int n = 0; n < TILE / 8; ++n)
                largest[i] = fmaxf(largest[i], fmaxf(score[n][2 * i], score[n][2 * i + 1]));
            largest[i] = fmaxf(largest[i], __shfl_xor_sync(0xffffffff, largest[i], 1));
#if MUTANT == 12  // wrong: four lanes away is another row
            largest[i] = fmaxf(largest[i], __shfl_xor_sync(0xffffffff, largest[i], 4));
#else
            largest[i] = fmaxf(largest[i], __shfl_xor_sync(0xffffffff, largest[i], 2));
#endif
            float rescale = exp2f((before - largest[i]) * factor);
#if MUTANT != 5  // missing: the old sum is not rescaled
            sum[i] *= rescale;
#endif
#if MUTANT != 4  // missing: the old output is not rescaled
            for (int d = 0; d < DIM / 8; ++d) {
                out[d][2 * i] *= rescale;
                out[d][2 * i + 1] *= rescale;
            }
#endif
            for (int n = 0; n < TILE / 8; ++n)
                for (int j = 2 * i; j < 2 * i + 2; ++j) {
#if MUTANT == 7  // wrong: scaled twice
                    score[n][j] = exp2f((score[n][j] * SCALE - largest[i]) * factor);
#elif MUTANT == 8  // missing: log2(e)
                    score[n][j] = exp2f((score[n][j] - largest[i]) * SCALE);
#else
                    score[n][j] = exp2f((score[n][j] - largest[i]) * factor);
#endif
                    sum[i] += score[n][j];
                }
        }

        wait<1>();
#if MUTANT != 10  // missing: the other threads' copies of V
        __syncthreads();
#endif
        // P is already laid out as the left operand.
#pragma unroll
        for (int n = 0; n < TILE / 16; ++n) {
            unsigned p[4];
            p[0] = pack(score[2 * n][0], score[2 * n][1]);
#if MUTANT == 6  // wrong: registers 1 and 2 are swapped
            p[2] = pack(score[2 * n][2], score[2 * n][3]);
            p[1] = pack(score[2 * n + 1][0], score[2 * n + 1][1]);
#else
            p[1] = pack(score[2 * n][2], score[2 * n][3]);
            p[2] = pack(score[2 * n + 1][0], score[2 * n + 1][1]);
#endif
            p[3] = pack(score[2 * n + 1][2], score[2 * n + 1][3]);
#pragma unroll
            for (int d = 0; d < DIM / 16; ++d) {
                unsigned b[4];
#if MUTANT == 13  // missing: .trans
                load4(b, v[now] + at(n * 16 + lane % 16, 2 * d + lane / 16));
#else
                load4_transposed(b, v[now] + at(n * 16 + lane % 16, 2 * d + lane / 16));
#endif
                mma(out[2 * d], p, b[0], b[1]);
                mma(out[2 * d + 1], p, b[2], b[3]);
            }
        }
    }

#pragma unroll
    for (int i = 0; i < 2; ++i) {
#if MUTANT != 14  // missing: the four lanes' sums are not added up
        sum[i] += __shfl_xor_sync(0xffffffff, sum[i], 1);
        sum[i] += __shfl_xor_sync(0xffffffff, sum[i], 2);
#endif
        float inverse = 1.0f / sum[i];
        Out *row = O + (warp * 16 + group + i * 8) * DIM;
        for (int d = 0; d < DIM / 8; ++d) {
            float a = out[d][2 * i] * inverse, b = out[d][2 * i + 1] * inverse;
#ifdef OUT32
            *reinterpret_cast<float2 *>(row + d * 8 + pair * 2) = make_float2(a, b);
#else
            *reinterpret_cast<half2 *>(row + d * 8 + pair * 2) = __floats2half2_rn(a, b);
#endif
        }
    }
}
