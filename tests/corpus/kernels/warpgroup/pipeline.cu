// C = A · B, 128 × 64 × 256 of f16, specialised: a warp fetches tiles of 64 of the depth into a ring of three buffers
// by tensor copies, two warpgroups multiply, and each gives a buffer back while its next product runs.
// A lies K-major and B N-major, both in rows of 128 bytes, of which the lines change places.
// WRONG 1: the producer waits for the same parity for ever. 2: the consumers do. 3: the bytes of B are not expected.
// 4: the buffer of the product that runs is given back. 5: the last product is not waited for. 6: B is said to be
// K-major. 7: both warpgroups multiply the same rows. 8: the sums are scaled between two products.
// 9: two buffers, and three are counted. 10: the second warpgroup gives nothing back.
#include <cuda_fp16.h>
#ifndef WRONG
#define WRONG 0
#endif
#include "../tensor_maps/maps.h"
#include "warpgroup.h"
constexpr int M = 128, N = 64, K = 256, TILE = 64, STAGES = 3, BUFFERS = WRONG == 9 ? 2 : STAGES;

extern "C" __global__ void ref(const half *a, const half *b, float *c) {
    int row = blockIdx.x, col = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += __half2float(a[row * K + k]) * __half2float(b[k * N + col]);
    c[row * N + col] = sum;
}

__device__ inline void multiply(float (&d)[32], u64 a, u64 b, int adds) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"
        " %32, %33, p, 1, 1, 0, %35; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
          "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
          "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
          "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b), "r"(adds), "n"(WRONG == 6 ? 0 : 1));
}

extern "C" __global__ void __launch_bounds__(288)
    opt(const __grid_constant__ CUtensorMap of_a, const __grid_constant__ CUtensorMap of_b, float *c) {
    __shared__ alignas(1024) half as[STAGES][M * TILE], bs[STAGES][TILE * N];
    __shared__ u64 full[STAGES], empty[STAGES];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init(&full[i], 1);
            init(&empty[i], 2);
        }
        init_done();
    }
    __syncthreads();
    if (warp == 8) {
        if (lane == 0) {
            for (int tile = 0; tile < K / TILE; tile++) {
                int s = tile % STAGES, buffer = s % BUFFERS; // wrong: 9
                wait(&empty[s], WRONG == 1 ? 1 : ((tile / STAGES) & 1) ^ 1); // wrong: 1
                expect(&full[s], sizeof as[0] + (WRONG == 3 ? 0 : sizeof bs[0])); // wrong: 3
                load(as[buffer], &of_a, &full[s], tile * TILE, 0);
                load(bs[buffer], &of_b, &full[s], 0, tile * TILE);
            }
        }
        return;
    }
    int group = warp / 4, row = WRONG == 7 ? 0 : group * 64; // wrong: 7
    float d[32];
    for (int i = 0; i < 32; i++) d[i] = 0.0f;
    for (int tile = 0; tile < K / TILE; tile++) {
        int s = tile % STAGES, buffer = s % BUFFERS;
        wait(&full[s], WRONG == 2 ? 0 : (tile / STAGES) & 1); // wrong: 2
        for (int i = 0; i < 32; i++) asm volatile("" : "+f"(d[i])::"memory");
        wg::fence();
#pragma unroll
        for (int step = 0; step < TILE / 16; step++)
            multiply(d, wg::describe(wg::shared(as[buffer]) + row * 128 + step * 32, 16, 1024, 128),
                     wg::describe(wg::shared(bs[buffer]) + step * 2048, 16, 1024, 128), tile + step > 0);
        wg::commit();
        if (WRONG == 8) for (int i = 0; i < 32; i++) d[i] *= 1.5f; // wrong: 8
        int done = WRONG == 4 ? tile : tile - 1; // wrong: 4
        wg::wait<1>();
        if (done >= 0 && threadIdx.x % 128 == 0 && (WRONG != 10 || group == 0)) arrive(&empty[done % STAGES]); // wrong: 10
    }
    if (WRONG != 5) wg::wait<0>(); // missing: 5
    for (int i = 0; i < 32; i++)
        c[(group * 64 + warp % 4 * 16 + lane / 4 + i % 4 / 2 * 8) * N + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}
