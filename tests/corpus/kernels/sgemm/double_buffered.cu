// sgemm_warp_tiled with two buffers: while one half of the block computes, the other half loads the
// next tile, then they change places. Both compute their own part of C from every tile, and meet at
// barriers in branches of their own. 128 threads; DEPTH is a multiple of four. MUTANT picks one
// deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif
#define BK 16
#define TILES ((DEPTH + BK - 1) / BK)

struct Tiles {
    float a[BK * 64], b[BK * 64];
};

// Half of the block fetches a whole tile.
static __device__ void load(Tiles &to, const float *A, const float *B, int tile, int thread) {
    int start = tile * BK;
#pragma unroll 1
    for (int i = thread; i < 64 * BK / 4; i += 64) {
        int r = i / (BK / 4), k = i % (BK / 4) * 4;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#if MUTANT == 9
        v = *reinterpret_cast<const float4 *>(A + r * DEPTH + start + k);  // missing: if (start + k < DEPTH)
#else
        if (start + k < DEPTH) v = *reinterpret_cast<const float4 *>(A + r * DEPTH + start + k);
#endif
        to.a[k * 64 + r] = v.x;
        to.a[(k + 1) * 64 + r] = v.y;
        to.a[(k + 2) * 64 + r] = v.z;
        to.a[(k + 3) * 64 + r] = v.w;
    }
#pragma unroll 1
    for (int i = thread; i < BK * 64 / 4; i += 64) {
        int k = start + i / 16;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (k < DEPTH) v = *reinterpret_cast<const float4 *>(B + k * 64 + i % 16 * 4);
        *reinterpret_cast<float4 *>(to.b + i * 4) = v;
    }
}

// Adds what a tile contributes to a thread's two blocks of 4 x 4 elements.
static __device__ void process(float (&sums)[2][4][4], const Tiles &tile, int row, int column) {
#pragma unroll 1
    for (int k = 0; k < BK; ++k) {
        float4 right = *reinterpret_cast<const float4 *>(tile.b + k * 64 + column);
        for (int m = 0; m < 2; ++m)
            for (int i = 0; i < 4; ++i) {
                float left = tile.a[k * 64 + row + m * 16 + i];
                sums[m][i][0] += left * right.x;
                sums[m][i][1] += left * right.y;
                sums[m][i][2] += left * right.z;
                sums[m][i][3] += left * right.w;
            }
    }
}

extern "C" __global__ void sgemm_double_buffered(float alpha, const float *__restrict__ A,
                                                 const float *__restrict__ B, float beta, float *__restrict__ C) {
    __shared__ __align__(16) Tiles even, odd;
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32, thread = tid % 64;
    int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 32 + lane % 8 * 4;
    float sums[2][4][4] = {};

    if (tid < 64) load(even, A, B, 0, thread);
#if MUTANT != 3  // missing: the first tile is not there yet
    __syncthreads();
#endif
#pragma unroll 1
#if MUTANT == 8
    for (int tile = 0; tile + 2 < TILES; tile += 2) {  // wrong: tile < TILES
#else
    for (int tile = 0; tile < TILES; tile += 2) {
#endif
        if (tid < 64) {
            process(sums, even, row, column);
#if MUTANT != 1  // missing: the odd tile is not there yet
            __syncthreads();
#endif
            if (tile + 1 < TILES) process(sums, odd, row, column);
            __syncthreads();
#if MUTANT == 10
            load(even, A, B, tile + 2, thread);  // no fault: zeros that nobody uses
#else
            if (tile + 2 < TILES) load(even, A, B, tile + 2, thread);
#endif
        } else {
#if MUTANT == 5
            if (tile + 1 < TILES) load(odd, A, B, tile, thread);  // wrong: tile + 1
#else
            if (tile + 1 < TILES) load(odd, A, B, tile + 1, thread);
#endif
            __syncthreads();
            process(sums, even, row, column);
#if MUTANT == 7
            asm volatile("bar.sync 1;" ::: "memory");  // wrong: barrier 0
#else
            __syncthreads();
#endif
#if MUTANT == 6
            if (tile + 1 < TILES) process(sums, even, row, column);  // wrong: odd
#elif MUTANT == 11
            process(sums, odd, row, column);  // missing: if (tile + 1 < TILES)
#else
            if (tile + 1 < TILES) process(sums, odd, row, column);
#endif
        }
#if MUTANT != 2  // missing: the next even tile is not there yet
        __syncthreads();
#endif
    }
    for (int m = 0; m < 2; ++m)
        for (int i = 0; i < 4; ++i) {
            float4 *at = reinterpret_cast<float4 *>(C + (row + m * 16 + i) * 64 + column);
            float4 v = *at;
#if MUTANT == 4
            v.x = alpha * (alpha * sums[m][i][0]) + beta * v.x;  // wrong: alpha once
#else
            v.x = alpha * sums[m][i][0] + beta * v.x;
#endif
            v.y = alpha * sums[m][i][1] + beta * v.y;
            v.z = alpha * sums[m][i][2] + beta * v.z;
            v.w = alpha * sums[m][i][3] + beta * v.w;
            *at = v;
        }
}
