// gemm_naive on tensor cores, A and B in f16: tiles of 64 in K arrive by cp.async in three buffers,
// two tiles ahead, swizzled by 16-byte chunks, and go to mma.m16n8k16 through ldmatrix. Of 16 warps,
// eight own the 16 x 8 pieces of C for the first half of every tile, and eight for the second; at
// the end one half adds what the other left in shared memory. As a generator of pipelined kernels
// writes it. M = N = 32, K a multiple of 64, 512 threads. MUTANT picks one deliberate fault.
#include <cuda_fp16.h>

#ifndef MUTANT
#define MUTANT 0
#endif
#define TILES (K / 64)
#if MUTANT == 3
#define SLOT(tile) (((tile) % 2) * 2048)  // wrong: three buffers
#else
#define SLOT(tile) (((tile) % 3) * 2048)
#endif

static __device__ __forceinline__ unsigned address(const void *at) { return (unsigned)__cvta_generic_to_shared(at); }
static __device__ __forceinline__ void copy16(half *to, const half *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(to)), "l"(from) : "memory");
}

extern "C" __global__ void __launch_bounds__(512) gemm_mma_f16(const half *__restrict__ A,
                                                               const half *__restrict__ B,
                                                               float *__restrict__ C) {
    __shared__ __align__(128) half A_shared[3 * 2048];
    __shared__ __align__(128) half B_shared[3 * 2048];
    __shared__ __align__(16) float C_shared[1024];
    const int lane = ((int)threadIdx.x) & 31;
    const int slice = ((int)threadIdx.x) >> 8;
    const int warp_m = (((int)threadIdx.x) >> 7) & 1;
    const int warp_n = (((int)threadIdx.x) >> 5) & 3;
    const int chunk = ((int)threadIdx.x) & 255;
    float C_local[4] = {0.0f, 0.0f, 0.0f, 0.0f};

    // Half of the block copies A, rows of eight chunks, the other half B, rows of four.
    const half *from = slice == 0 ? A + ((chunk >> 3) * K) + ((chunk & 7) * 8)
                                  : B + ((chunk >> 2) * 32) + ((chunk & 3) * 8);
    half *to = slice == 0 ? A_shared + ((chunk >> 3) * 64) + (((chunk & 7) ^ ((chunk >> 3) & 7)) * 8)
                          : B_shared + ((chunk >> 2) * 32) + (((chunk & 3) ^ ((chunk >> 3) & 3)) * 8);
    const int step = slice == 0 ? 64 : 64 * 32;
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
        copy16(to + SLOT(tile), from + (tile * step));
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
#pragma unroll 1
#if MUTANT == 8
    for (int k_outer = 0; k_outer < TILES - 1; ++k_outer) {  // wrong: TILES
#else
    for (int k_outer = 0; k_outer < TILES; ++k_outer) {
#endif
#if MUTANT == 1
        asm volatile("cp.async.wait_group 2;" ::: "memory");  // wrong: 1
#else
        asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
#if MUTANT != 2  // missing: what others have copied is not there yet
        __syncthreads();
#endif
        if (k_outer + 2 < TILES) copy16(to + SLOT(k_outer + 2), from + ((k_outer + 2) * step));
        asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
        for (int k_inner = 0; k_inner < 2; ++k_inner) {
#if MUTANT == 11
            const int k = k_inner;  // wrong: each slice its own half
#else
            const int k = (slice * 2) + k_inner;
#endif
            unsigned A_local[4], B_local[2];
            const int row = (warp_m * 16) + (lane & 15);
#if MUTANT == 5
            const half *left = A_shared + SLOT(k_outer) + (row * 64) + (((k * 2) + (lane >> 4)) * 8);  // missing: ^ (row & 7)
#else
            const half *left = A_shared + SLOT(k_outer) + (row * 64) + ((((k * 2) + (lane >> 4)) ^ (row & 7)) * 8);
#endif
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(A_local[0]), "=r"(A_local[1]), "=r"(A_local[2]), "=r"(A_local[3])
                         : "r"(address(left)) : "memory");
            const int depth = (k * 16) + (lane & 15);
            const half *right = B_shared + SLOT(k_outer) + (depth * 32) + ((warp_n ^ ((depth >> 1) & 3)) * 8);
#if MUTANT == 6
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"  // missing: .trans
#else
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
#endif
                         : "=r"(B_local[0]), "=r"(B_local[1]) : "r"(address(right)) : "memory");
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(C_local[0]), "+f"(C_local[1]), "+f"(C_local[2]), "+f"(C_local[3])
#if MUTANT == 4
                         : "r"(A_local[0]), "r"(A_local[2]), "r"(A_local[1]), "r"(A_local[3]),  // wrong: 0, 1, 2, 3
#else
                         : "r"(A_local[0]), "r"(A_local[1]), "r"(A_local[2]), "r"(A_local[3]),
#endif
                           "r"(B_local[0]), "r"(B_local[1]));
        }
    }

#if MUTANT == 9
    const int below = 0;  // wrong: eight rows below
#else
    const int below = 8 * 32;
#endif
    const int at = (((warp_m * 16) + (lane >> 2)) * 32) + (warp_n * 8) + ((lane & 3) * 2);
    if (slice == 1) {
        *(float2 *)(C_shared + at) = make_float2(C_local[0], C_local[1]);
        *(float2 *)(C_shared + at + 256) = make_float2(C_local[2], C_local[3]);
    }
#if MUTANT != 7  // missing: the other half's sums are not there yet
    __syncthreads();
#endif
    if (slice == 0) {
        float2 first = *(const float2 *)(C_shared + at);
        float2 second = *(const float2 *)(C_shared + at + 256);
#if MUTANT == 10
        *(float2 *)(C + at) = make_float2(C_local[0] + first.x, C_local[2] + first.y);  // wrong: 0 and 1
#else
        *(float2 *)(C + at) = make_float2(C_local[0] + first.x, C_local[1] + first.y);
#endif
        *(float2 *)(C + at + below) = make_float2(C_local[2] + second.x, C_local[3] + second.y);
    }
}
