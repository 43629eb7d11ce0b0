// O = softmax(Q · Kᵀ / 8) · V for 64 queries, 128 keys, 64 of the head: a warpgroup takes tiles of 64 keys, the scores stay in
// its registers and are its A of the second product. Tensor copies fetch the next tile meanwhile.
// WRONG 2: the second product takes scores of the wrong rows. 3: the scores are read before they are
// there. 4: the next tile is fetched before the product has read this one. 5: V as if it were K-major. 6: no wgmma.fence
// behind the rescaling. 7: the maximum over half of a row only.
#include <cuda_fp16.h>
#ifndef WRONG
#define WRONG 0
#endif
#include "../tensor_maps/maps.h"
#include "warpgroup.h"
constexpr int KEYS = 128, HEAD = 64, TILE = 64;

#define SUMS                                                                                                       \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"
#define OUT(d)                                                                                                     \
    "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),    \
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),     \
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),    \
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])

__device__ inline void scores(float (&d)[32], u64 a, u64 b, int adds) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS
                 ", %32, %33, p, 1, 1, 0, 0; }" : OUT(d) : "l"(a), "l"(b), "r"(adds));
}

__device__ inline void values(float (&d)[32], const u32 *p, u64 b) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %38, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS
                 ", {%32,%33,%34,%35}, %36, p, 1, 1, %37; }"
                 : OUT(d) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(b), "n"(WRONG == 5 ? 0 : 1), "r"(1));
}

__device__ inline void pin(float (&d)[32]) { for (int i = 0; i < 32; i++) asm volatile("" : "+f"(d[i])::"memory"); }

__device__ inline u32 pack(float low, float high) {
    half2 both = __floats2half2_rn(low, high);
    return *(u32 *)&both;
}

extern "C" __global__ void __launch_bounds__(128) attention(
    const __grid_constant__ CUtensorMap of_q, const __grid_constant__ CUtensorMap of_k,
    const __grid_constant__ CUtensorMap of_v, float *o) {
    __shared__ alignas(1024) half q[64 * HEAD], k[2][TILE * HEAD], v[2][TILE * HEAD];
    __shared__ u64 full[2];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    if (t == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        init_done();
        expect(&full[0], sizeof q + sizeof k[0] + sizeof v[0]);
        load(q, &of_q, &full[0], 0, 0);
        load(k[0], &of_k, &full[0], 0, 0);
        load(v[0], &of_v, &full[0], 0, 0);
    }
    __syncthreads();
    float sums[32], most[2] = {-__int_as_float(0x7f800000), -__int_as_float(0x7f800000)}, total[2] = {0.0f, 0.0f};
    for (int i = 0; i < 32; i++) sums[i] = 0.0f;
    for (int tile = 0; tile < KEYS / TILE; tile++) {
        int s = WRONG == 4 ? 0 : tile % 2;
        wait(&full[tile % 2], (tile / 2) & 1);
        if (t == 0 && tile + 1 < KEYS / TILE) {
            int next = WRONG == 4 ? 0 : (tile + 1) % 2; // wrong: 4
            expect(&full[(tile + 1) % 2], sizeof k[0] + sizeof v[0]);
            load(k[next], &of_k, &full[(tile + 1) % 2], 0, (tile + 1) * TILE);
            load(v[next], &of_v, &full[(tile + 1) % 2], 0, (tile + 1) * TILE);
        }
        float p[32];
        for (int i = 0; i < 32; i++) p[i] = 0.0f;
        pin(p);
        wg::fence();
#pragma unroll
        for (int step = 0; step < HEAD / 16; step++)
            scores(p, wg::describe(wg::shared(q) + step * 32, 16, 1024, 128), wg::describe(wg::shared(k[s]) + step * 32, 16, 1024, 128), step > 0);
        wg::commit();
        if (WRONG != 3) wg::wait<0>(); // missing: 3
        u32 packed[16];
        for (int half_row = 0; half_row < 2; half_row++) {
            float m = most[half_row];
            for (int i = 0; i < (WRONG == 7 ? 16 : 32); i++) // wrong: 7
                if (i % 4 / 2 == half_row) m = fmaxf(m, p[i]);
            m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
            m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
            float scale = exp2f((most[half_row] - m) * 0.1803368801111f), sum = 0.0f;
            for (int i = 0; i < 32; i++)
                if (i % 4 / 2 == half_row) {
                    p[i] = exp2f((p[i] - m) * 0.1803368801111f);
                    sum += p[i];
                    sums[i] *= scale;
                }
            total[half_row] = total[half_row] * scale + sum;
            most[half_row] = m;
        }
        for (int i = 0; i < 16; i++) packed[i] = pack(p[2 * i], p[2 * i + 1]);
        if (WRONG == 2) packed[0] = packed[1]; // wrong: 2
        pin(sums);
        for (int i = 0; i < 16; i++) asm volatile("" : "+r"(packed[i])::"memory");
        if (WRONG != 6) wg::fence(); // missing: 6
#pragma unroll
        for (int step = 0; step < TILE / 16; step++)
            values(sums, packed + 4 * step, wg::describe(wg::shared(v[s]) + step * 2048, 16, 1024, 128));
        wg::commit();
        wg::wait<0>();
        __syncthreads();
    }
    for (int half_row = 0; half_row < 2; half_row++) {
        total[half_row] += __shfl_xor_sync(~0u, total[half_row], 1);
        total[half_row] += __shfl_xor_sync(~0u, total[half_row], 2);
    }
    for (int i = 0; i < 32; i++)
        o[(warp * 16 + lane / 4 + i % 4 / 2 * 8) * HEAD + i / 4 * 8 + lane % 4 * 2 + i % 2] = sums[i] / total[i % 4 / 2];
}
