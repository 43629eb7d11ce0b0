// gemm_naive as a loop-nest generator writes it: 32 x 32 tiles of A and B in shared memory, flat
// indices into everything, each load under its predicate, and a thread with two elements of a
// column. Where M, N or K fill no whole tile, zeros do. 512 threads. MUTANT picks one deliberate
// fault.
#ifndef MUTANT
#define MUTANT 0
#endif
#if MUTANT == 3
#define TILES ((K + 31) / 32 - 1)  // wrong: the last tile is skipped
#else
#define TILES ((K + 31) / 32)
#endif
#if MUTANT == 5
#define IN_DEPTH(k) true  // missing: (k) < K
#else
#define IN_DEPTH(k) ((k) < K)
#endif

extern "C" __global__ void __launch_bounds__(512) gemm_tiled(const float *__restrict__ A,
                                                             const float *__restrict__ B,
                                                             float *__restrict__ C) {
    __shared__ float A_shared[1024];
    __shared__ float B_shared[1024];
    float C_local[2];
    C_local[0] = 0.0f;
    C_local[1] = 0.0f;
#pragma unroll 1
    for (int k_outer = 0; k_outer < TILES; ++k_outer) {
#if MUTANT != 2  // missing: others still read the tiles
        __syncthreads();
#endif
#pragma unroll
        for (int ax = 0; ax < 2; ++ax) {
            bool inside = (ax * 16) + (((int)threadIdx.x) >> 5) < M && IN_DEPTH((k_outer * 32) + (((int)threadIdx.x) & 31));
#if MUTANT == 6
            if (inside)  // missing: or zero
                A_shared[(ax * 512) + ((int)threadIdx.x)] = A[(((ax * 16) + (((int)threadIdx.x) >> 5)) * K) + (k_outer * 32) + (((int)threadIdx.x) & 31)];
#elif MUTANT == 4
            A_shared[((((int)threadIdx.x) & 31) * 32) + (ax * 16) + (((int)threadIdx.x) >> 5)] =  // wrong: not transposed
                inside ? A[(((ax * 16) + (((int)threadIdx.x) >> 5)) * K) + (k_outer * 32) + (((int)threadIdx.x) & 31)] : 0.0f;
#else
            A_shared[(ax * 512) + ((int)threadIdx.x)] =
                inside ? A[(((ax * 16) + (((int)threadIdx.x) >> 5)) * K) + (k_outer * 32) + (((int)threadIdx.x) & 31)] : 0.0f;
#endif
        }
#pragma unroll
        for (int ax = 0; ax < 2; ++ax) {
            bool inside = IN_DEPTH((k_outer * 32) + (ax * 16) + (((int)threadIdx.x) >> 5)) && (((int)threadIdx.x) & 31) < N;
#if MUTANT == 6
            if (inside)
                B_shared[(ax * 512) + ((int)threadIdx.x)] = B[(((k_outer * 32) + (ax * 16) + (((int)threadIdx.x) >> 5)) * N) + (((int)threadIdx.x) & 31)];
#else
            B_shared[(ax * 512) + ((int)threadIdx.x)] =
                inside ? B[(((k_outer * 32) + (ax * 16) + (((int)threadIdx.x) >> 5)) * N) + (((int)threadIdx.x) & 31)] : 0.0f;
#endif
        }
#if MUTANT != 1  // missing: the tiles are not there yet
        __syncthreads();
#endif
#pragma unroll
        for (int k_inner = 0; k_inner < 32; ++k_inner) {
            C_local[0] = C_local[0] + (A_shared[((((int)threadIdx.x) >> 5) * 32) + k_inner] * B_shared[(k_inner * 32) + (((int)threadIdx.x) & 31)]);
#if MUTANT == 7
            C_local[1] = C_local[1] + (A_shared[((((int)threadIdx.x) >> 5) * 32) + k_inner + 256] * B_shared[(k_inner * 32) + (((int)threadIdx.x) & 31)]);  // wrong: + 512
#elif MUTANT == 8
            C_local[1] = C_local[0] + (A_shared[((((int)threadIdx.x) >> 5) * 32) + k_inner + 512] * B_shared[(k_inner * 32) + (((int)threadIdx.x) & 31)]);  // wrong: C_local[1]
#else
            C_local[1] = C_local[1] + (A_shared[((((int)threadIdx.x) >> 5) * 32) + k_inner + 512] * B_shared[(k_inner * 32) + (((int)threadIdx.x) & 31)]);
#endif
        }
    }
#pragma unroll
    for (int ax = 0; ax < 2; ++ax) {
#if MUTANT == 9
        if ((ax * 16) + (((int)threadIdx.x) >> 5) <= M && (((int)threadIdx.x) & 31) < N)  // wrong: < M
#else
        if ((ax * 16) + (((int)threadIdx.x) >> 5) < M && (((int)threadIdx.x) & 31) < N)
#endif
            C[(((ax * 16) + (((int)threadIdx.x) >> 5)) * N) + (((int)threadIdx.x) & 31)] = C_local[ax];
    }
}
