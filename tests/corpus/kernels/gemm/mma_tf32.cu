// gemm_naive on tensor cores with f32 rounded to tf32: 32 x 32 tiles of A and B in padded rows of
// shared memory, each load under its predicate, and mma.m16n8k8 on fragments read word by word. Of
// 16 warps, eight own the 16 x 8 pieces of C for the first half of every tile, and eight for the
// second; at the end one half leaves its sums where the tile of A was, and the other adds them. As a
// loop-nest generator writes it. 512 threads. MUTANT picks one deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif
#if MUTANT == 3
#define TILES (K / 32)  // wrong: rounded up
#else
#define TILES ((K + 31) / 32)
#endif
#if MUTANT == 10
#define PITCH_READ 32  // wrong: 36, as written
#else
#define PITCH_READ 36
#endif

static __device__ __forceinline__ unsigned tf32(float x) {
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}

extern "C" __global__ void __launch_bounds__(512) gemm_mma_tf32(const float *__restrict__ A,
                                                                const float *__restrict__ B,
                                                                float *__restrict__ C) {
    __shared__ __align__(16) float A_shared[32 * 36];
    __shared__ __align__(16) float B_shared[32 * 40];
    const int lane = ((int)threadIdx.x) & 31;
    const int slice = ((int)threadIdx.x) >> 8;
    const int warp_m = (((int)threadIdx.x) >> 7) & 1;
    const int warp_n = (((int)threadIdx.x) >> 5) & 3;
    float C_local[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
    for (int k_outer = 0; k_outer < TILES; ++k_outer) {
#if MUTANT != 2  // missing: others still read the tiles
        __syncthreads();
#endif
#if MUTANT == 9
        C_local[0] = 0.0f;  // wrong: only once
#endif
#pragma unroll
        for (int ax = 0; ax < 2; ++ax) {
            float loaded = 0.0f;
#if MUTANT == 8
            if ((ax * 16) + (((int)threadIdx.x) >> 5) < M)  // missing: k_outer * 32 + (threadIdx.x & 31) < K
#else
            if ((ax * 16) + (((int)threadIdx.x) >> 5) < M && (k_outer * 32) + (((int)threadIdx.x) & 31) < K)
#endif
                loaded = A[(((ax * 16) + (((int)threadIdx.x) >> 5)) * K) + (k_outer * 32) + (((int)threadIdx.x) & 31)];
            A_shared[(((ax * 16) + (((int)threadIdx.x) >> 5)) * 36) + (((int)threadIdx.x) & 31)] = loaded;
        }
#pragma unroll
        for (int ax = 0; ax < 2; ++ax) {
            float loaded = 0.0f;
            if ((k_outer * 32) + (ax * 16) + (((int)threadIdx.x) >> 5) < K && (((int)threadIdx.x) & 31) < N)
                loaded = B[(((k_outer * 32) + (ax * 16) + (((int)threadIdx.x) >> 5)) * N) + (((int)threadIdx.x) & 31)];
            B_shared[(((ax * 16) + (((int)threadIdx.x) >> 5)) * 40) + (((int)threadIdx.x) & 31)] = loaded;
        }
#if MUTANT != 1  // missing: the tiles are not there yet
        __syncthreads();
#endif
#pragma unroll
        for (int k_inner = 0; k_inner < 2; ++k_inner) {
            const float *left = A_shared + (((warp_m * 16) + (lane >> 2)) * PITCH_READ) + (slice * 16) + (k_inner * 8) + (lane & 3);
#if MUTANT == 5
            const float *right = B_shared + (((slice * 16) + (k_inner * 8) + (lane & 3)) * 40) + (warp_n * 8) + (lane >> 3);  // wrong: lane >> 2
#else
            const float *right = B_shared + (((slice * 16) + (k_inner * 8) + (lane & 3)) * 40) + (warp_n * 8) + (lane >> 2);
#endif
            unsigned A_local[4] = {tf32(left[0]), tf32(left[8 * PITCH_READ]), tf32(left[4]), tf32(left[8 * PITCH_READ + 4])};
#if MUTANT == 4
            unsigned B_local[2] = {tf32(right[4 * 40]), tf32(right[0])};  // wrong: 0 and 4 * 40
#else
            unsigned B_local[2] = {tf32(right[0]), tf32(right[4 * 40])};
#endif
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(C_local[0]), "+f"(C_local[1]), "+f"(C_local[2]), "+f"(C_local[3])
                         : "r"(A_local[0]), "r"(A_local[1]), "r"(A_local[2]), "r"(A_local[3]),
                           "r"(B_local[0]), "r"(B_local[1]));
        }
    }

#if MUTANT != 6  // missing: others still read the tile of A
    __syncthreads();
#endif
    const int row = (warp_m * 16) + (lane >> 2);
    const int column = (warp_n * 8) + ((lane & 3) * 2);
    if (slice == 1) {
        *(float2 *)(A_shared + (row * 36) + column) = make_float2(C_local[0], C_local[1]);
        *(float2 *)(A_shared + (row * 36) + column + 288) = make_float2(C_local[2], C_local[3]);
    }
    __syncthreads();
    if (slice == 0) {
        float2 first = *(const float2 *)(A_shared + (row * 36) + column);
        float2 second = *(const float2 *)(A_shared + (row * 36) + column + 288);
        if (row < M && column < N) C[(row * N) + column] = C_local[0] + first.x;
        if (row < M && column + 1 < N) C[(row * N) + column + 1] = C_local[1] + first.y;
#if MUTANT == 7
        if (column < N) C[((row + 8) * N) + column] = C_local[2] + second.x;  // missing: row + 8 < M
#else
        if (row + 8 < M && column < N) C[((row + 8) * N) + column] = C_local[2] + second.x;
#endif
        if (row + 8 < M && column + 1 < N) C[((row + 8) * N) + column + 1] = C_local[3] + second.y;
    }
}
