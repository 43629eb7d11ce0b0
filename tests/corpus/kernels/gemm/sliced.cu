// gemm_naive with every tile of K cut into two slices: 256 threads add up the first half of each
// tile, 256 the second, a thread 2 x 2 elements; at the end one slice adds what the other left in
// shared memory. One half of the block loads A, transposed into rows of 36 words, and the other B,
// 16 bytes per thread into registers while the tile before is used, and into the buffer that is not.
// As a generator of pipelined kernels writes it: flat indices, predicated vector loads. K and N are
// multiples of four. 512 threads. MUTANT picks one deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif
#define TILES ((K + 31) / 32)
#if MUTANT == 6
#define BUFFER(tile) 0  // wrong: (tile) & 1
#else
#define BUFFER(tile) ((tile) & 1)
#endif
#if MUTANT == 5
#define PITCH_READ 32  // wrong: 36, as written
#else
#define PITCH_READ 36
#endif

extern "C" __global__ void __launch_bounds__(512) gemm_sliced(const float *__restrict__ A,
                                                              const float *__restrict__ B,
                                                              float *__restrict__ C) {
    __shared__ __align__(16) float A_shared[2 * 32 * 36];
    __shared__ __align__(16) float B_shared[2 * 32 * 32];
    __shared__ __align__(16) float C_shared[32 * 32];
    const int thread = ((int)threadIdx.x) & 255;
    const int slice = ((int)threadIdx.x) >> 8;
    float C_local[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    float4 loaded = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

    // Tile 0.
    if (slice == 0) {
        if ((thread >> 3) < M && ((thread & 7) * 4) < K)
            loaded = *(const float4 *)(A + ((thread >> 3) * K) + ((thread & 7) * 4));
        A_shared[(((thread & 7) * 4) * 36) + (thread >> 3)] = loaded.x;
        A_shared[(((thread & 7) * 4) * 36) + (thread >> 3) + 36] = loaded.y;
        A_shared[(((thread & 7) * 4) * 36) + (thread >> 3) + 72] = loaded.z;
        A_shared[(((thread & 7) * 4) * 36) + (thread >> 3) + 108] = loaded.w;
    } else {
        if ((thread >> 3) < K && ((thread & 7) * 4) < N)
            loaded = *(const float4 *)(B + ((thread >> 3) * N) + ((thread & 7) * 4));
        *(float4 *)(B_shared + (thread * 4)) = loaded;
    }
    __syncthreads();

#pragma unroll 1
    for (int k_outer = 0; k_outer < TILES; ++k_outer) {
        // Into registers: the tile after this one.
#if MUTANT == 8
        const int next = k_outer + 2;  // wrong: k_outer + 1
#else
        const int next = k_outer + 1;
#endif
        loaded = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (slice == 0) {
#if MUTANT == 9
            if ((thread >> 3) < M && next < TILES)  // missing: next * 32 + (thread & 7) * 4 < K
#else
            if ((thread >> 3) < M && (next * 32) + ((thread & 7) * 4) < K)
#endif
                loaded = *(const float4 *)(A + ((thread >> 3) * K) + (next * 32) + ((thread & 7) * 4));
        } else {
            if ((next * 32) + (thread >> 3) < K && ((thread & 7) * 4) < N)
                loaded = *(const float4 *)(B + (((next * 32) + (thread >> 3)) * N) + ((thread & 7) * 4));
        }
#pragma unroll
        for (int k_inner = 0; k_inner < 16; ++k_inner) {
#if MUTANT == 3
            const int k = k_inner;  // wrong: each slice its own half
#else
            const int k = (slice * 16) + k_inner;
#endif
            float2 left = *(const float2 *)(A_shared + (BUFFER(k_outer) * 1152) + (k * PITCH_READ) + ((thread >> 4) * 2));
            float2 right = *(const float2 *)(B_shared + (BUFFER(k_outer) * 1024) + (k * 32) + ((thread & 15) * 2));
            C_local[0] = C_local[0] + (left.x * right.x);
            C_local[1] = C_local[1] + (left.x * right.y);
            C_local[2] = C_local[2] + (left.y * right.x);
            C_local[3] = C_local[3] + (left.y * right.y);
        }
        if (k_outer + 1 < TILES) {
            if (slice == 0) {
                A_shared[(BUFFER(k_outer + 1) * 1152) + (((thread & 7) * 4) * 36) + (thread >> 3)] = loaded.x;
                A_shared[(BUFFER(k_outer + 1) * 1152) + (((thread & 7) * 4) * 36) + (thread >> 3) + 36] = loaded.y;
                A_shared[(BUFFER(k_outer + 1) * 1152) + (((thread & 7) * 4) * 36) + (thread >> 3) + 72] = loaded.z;
                A_shared[(BUFFER(k_outer + 1) * 1152) + (((thread & 7) * 4) * 36) + (thread >> 3) + 108] = loaded.w;
            } else {
                *(float4 *)(B_shared + (BUFFER(k_outer + 1) * 1024) + (thread * 4)) = loaded;
            }
        }
#if MUTANT != 2  // missing: the next tile is not there yet
        __syncthreads();
#endif
    }

    if (slice == 1) {
#if MUTANT == 10
        *(float2 *)(C_shared + ((thread >> 4) * 64) + ((thread & 15) * 2) + 32) = make_float2(C_local[0], C_local[1]);  // wrong: rows swapped
        *(float2 *)(C_shared + ((thread >> 4) * 64) + ((thread & 15) * 2)) = make_float2(C_local[2], C_local[3]);
#else
        *(float2 *)(C_shared + ((thread >> 4) * 64) + ((thread & 15) * 2)) = make_float2(C_local[0], C_local[1]);
        *(float2 *)(C_shared + ((thread >> 4) * 64) + ((thread & 15) * 2) + 32) = make_float2(C_local[2], C_local[3]);
#endif
    }
#if MUTANT == 1
    __syncwarp();  // wrong: __syncthreads
#else
    __syncthreads();
#endif
    if (slice == 0 && ((thread & 15) * 2) < N) {
        float2 first = *(const float2 *)(C_shared + ((thread >> 4) * 64) + ((thread & 15) * 2));
        float2 second = *(const float2 *)(C_shared + ((thread >> 4) * 64) + ((thread & 15) * 2) + 32);
#if MUTANT == 4
        first = second = make_float2(0.0f, 0.0f);  // wrong: the second slice is dropped
#endif
        if (((thread >> 4) * 2) < M)
#if MUTANT == 7
            *(float2 *)(C + ((thread >> 4) * 2 * N) + ((thread & 15) * 2)) = make_float2(C_local[1] + first.x, C_local[0] + first.y);  // wrong: 0 and 1
#else
            *(float2 *)(C + ((thread >> 4) * 2 * N) + ((thread & 15) * 2)) = make_float2(C_local[0] + first.x, C_local[1] + first.y);
#endif
        if (((thread >> 4) * 2) + 1 < M)
            *(float2 *)(C + (((thread >> 4) * 2 + 1) * N) + ((thread & 15) * 2)) = make_float2(C_local[2] + second.x, C_local[3] + second.y);
    }
}
