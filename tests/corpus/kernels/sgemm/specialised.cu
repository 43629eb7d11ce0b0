// sgemm_warp_tiled with warps that only load and warps that only compute: two loading warps fill
// two buffers in turn, four computing warps empty them. Four named barriers say, for each buffer,
// that it is full or empty; the side that does not wait arrives without waiting. 192 threads.
// MUTANT picks one deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif
#define BK 16
#define TILES (DEPTH / BK)

static __device__ void wait(int barrier) { asm volatile("bar.sync %0, 192;" ::"r"(barrier) : "memory"); }
static __device__ void arrive(int barrier) { asm volatile("bar.arrive %0, 192;" ::"r"(barrier) : "memory"); }

extern "C" __global__ void sgemm_specialised(float alpha, const float *__restrict__ A,
                                             const float *__restrict__ B, float beta, float *__restrict__ C) {
    __shared__ __align__(16) float a[2][BK * 64], b[2][BK * 64];
    const int full = 1, empty = 3;  // two barriers each
    int tid = threadIdx.x;
    if (tid >= 128) {
        int thread = tid - 128;
#pragma unroll 1
        for (int tile = 0; tile < TILES; ++tile) {
            int now = tile % 2;
#if MUTANT == 2
#elif MUTANT == 11
            wait(empty + now);  // wrong: the first two buffers are empty already
#else
            if (tile >= 2) wait(empty + now);  // 2 is missing: the buffer may still be read
#endif
#if MUTANT == 6
            int start = tile / 2 * 2 * BK;  // wrong: tile * BK
#else
            int start = tile * BK;
#endif
#pragma unroll 1
            for (int i = thread; i < 64 * BK / 4; i += 64) {
                int r = i / (BK / 4), k = i % (BK / 4) * 4;
                float4 v = *reinterpret_cast<const float4 *>(A + r * DEPTH + start + k);
                a[now][k * 64 + r] = v.x;
                a[now][(k + 1) * 64 + r] = v.y;
                a[now][(k + 2) * 64 + r] = v.z;
                a[now][(k + 3) * 64 + r] = v.w;
            }
#pragma unroll 1
            for (int i = thread; i < BK * 64 / 4; i += 64)
                reinterpret_cast<float4 *>(b[now])[i] = reinterpret_cast<const float4 *>(B + start * 64)[i];
#if MUTANT == 4
            asm volatile("bar.arrive %0, 128;" ::"r"(full + now) : "memory");  // wrong: 192
#elif MUTANT != 9  // missing: the buffer is full
            arrive(full + now);
#endif
        }
        return;
    }
    int warp = tid / 32, lane = tid % 32;
    int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 32 + lane % 8 * 4;
    float sums[2][4][4] = {};
#pragma unroll 1
#if MUTANT == 7
    for (int tile = 0; tile < TILES - 1; ++tile) {  // wrong: TILES
#else
    for (int tile = 0; tile < TILES; ++tile) {
#endif
        int now = tile % 2;
#if MUTANT != 1  // missing: the buffer may not be full yet
        wait(full + now);
#endif
#if MUTANT == 8
        now = 1 - now;  // wrong: the other buffer
#endif
#pragma unroll 1
        for (int k = 0; k < BK; ++k) {
            float4 right = *reinterpret_cast<const float4 *>(b[now] + k * 64 + column);
            for (int m = 0; m < 2; ++m)
                for (int i = 0; i < 4; ++i) {
                    float left = a[now][k * 64 + row + m * 16 + i];
                    sums[m][i][0] += left * right.x;
                    sums[m][i][1] += left * right.y;
                    sums[m][i][2] += left * right.z;
                    sums[m][i][3] += left * right.w;
                }
        }
#if MUTANT == 5
        arrive(empty + now);  // no fault: nobody waits for the last two
#else
        if (tile + 2 < TILES) arrive(empty + now);
#endif
    }
    for (int m = 0; m < 2; ++m)
        for (int i = 0; i < 4; ++i) {
            float4 *at = reinterpret_cast<float4 *>(C + (row + m * 16 + i) * 64 + column);
            float4 v = *at;
#if MUTANT == 10
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
