// C = A · B of floats of four to eight bits in tensor memory, 128 × 8 (or 16) × 128, most with scales of blocks, which are
// copied from shared into tensor memory. Core matrices without swizzle; rows of A and columns of B lie along the depth.
// KIND 1: e4m3 times e5m2, a scale for each 32 (mxf8f6f4). 2: four bits, a scale for each 32 (mxf4). 3: four bits, a
// scale of e4m3 for each 16 (mxf4nvf4). 4: e2m1 times e4m3 without scales (f8f6f4). 5: e2m1 times e5m2, a scale for each 32.
// WRONG 1: the scales of the first step for all. 2: the columns of the scales change places. 3: the second copy of scales
// goes where a product still reads the first. 4: no fence between filling and copying. 5: scales said to be powers of two.
// 6: four bits without the gaps that bytes would have. 7: the scales of A for B. 8: the product before the scales.
#ifndef WRONG
#define WRONG 0
#endif
#include "../bulk/bulk.h"
#include "tcgen05.h"
#include "../narrow/narrow.h"
using namespace tm;
constexpr int N = KIND == 4 ? 16 : 8, K = 128;
constexpr bool PACKED = KIND == 2 || KIND == 3;                  // two elements a byte, side by side
constexpr bool GAPS = KIND == 4 || KIND == 5;                    // of A: eight bytes of elements, and eight of nothing
constexpr int ROW_A = PACKED || GAPS ? K / 2 : K, ROW_B = PACKED ? K / 2 : K; // bytes in global memory
constexpr int LINES_A = GAPS ? K / 16 : ROW_A / 16, LINES_B = ROW_B / 16;     // lines of sixteen bytes of a row
constexpr int STEPS = PACKED ? 2 : 4, SCALES = KIND == 3 ? 8 : 4, IMAGES = SCALES / 4;

#define KIND1 "mxf8f6f4.block_scale"
#define KIND2 "mxf4.block_scale.scale_vec::2X"
#define KIND3 "mxf4nvf4.block_scale.block16"
#define KIND4 "f8f6f4"
#define KIND5 "mxf8f6f4.block_scale.block32"
#define NAME_(k) KIND##k
#define NAME(k) NAME_(k)

__device__ inline float scale(byte x) { return KIND == 3 ? e4m3(x) : ue8m0(x); }
__device__ inline float of_b(byte x) { return KIND == 4 ? e4m3(x) : e5m2(x); }
__device__ inline byte nibble(const byte *row, int k) { return k % 2 ? row[k / 2] >> 4 : row[k / 2] & 15; }

extern "C" __global__ void ref(const byte *a, const byte *b, const byte *sa, const byte *sb, float *c) {
    int row = blockIdx.x, col = threadIdx.x;
    float s = 0;
    for (int k = 0; k < K; k++) {
        float x = PACKED || GAPS ? e2m1(nibble(a + row * ROW_A, k)) : e4m3(a[row * K + k]);
        float y = PACKED ? e2m1(nibble(b + col * ROW_B, k)) : of_b(b[col * K + k]);
        int block = k / (K / SCALES);
        if (KIND != 4) x *= scale(sa[row * SCALES + block]), y *= scale(sb[col * SCALES + block]);
        s += x * y;
    }
    c[row * N + col] = s;
}

__device__ inline void multiply(u32 d, u64 a, u64 b, u32 what, u32 of_a, u32 of_b, int adds) {
#if KIND == 4
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::" NAME(KIND) " [%0], %1, %2, %3, p; }" ::"r"(d), "l"(a), "l"(b), "r"(what), "r"(adds) : "memory");
#else
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::" NAME(KIND) " [%0], %1, %2, %3, [%5], [%6], p; }" ::"r"(d), "l"(a), "l"(b), "r"(what), "r"(adds), "r"(of_a), "r"(of_b) : "memory");
#endif
}
__device__ inline void copy(u32 to, const void *from) {
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to), "l"(describe(shared(from), 16, 128, 16)) : "memory");
}

extern "C" __global__ void __launch_bounds__(128) opt(const byte *a, const byte *b, const byte *sa, const byte *sb, float *c) {
    __shared__ alignas(128) byte as[LINES_A * 128 * 16], bs[LINES_B * N * 16], image_a[IMAGES][512], image_b[IMAGES][512];
    __shared__ u64 done;
    __shared__ u32 slot;
    int t = threadIdx.x, warp = t / 32;
    if (warp == 0) take(&slot, 64);
    if (t == 0) {
        init(&done, 1);
        init_done();
    }
    // Panels of sixteen bytes of the depth.
    constexpr int HELD = GAPS && WRONG != 6 ? 8 : 16; // bytes of a line that hold something
    for (int i = t; i < 128 * ROW_A; i += 128) as[i % ROW_A / HELD * 128 * 16 + i / ROW_A * 16 + i % HELD] = a[i];
    for (int i = t; i < N * ROW_B; i += 128) bs[i % ROW_B / 16 * N * 16 + i / ROW_B * 16 + i % 16] = b[i];
    if (KIND != 4) {
        // Rows of sixteen bytes: four scales of each of the rows r, r + 32, r + 64 and r + 96.
        for (int i = t; i < 128 * SCALES; i += 128) {
            int row = i / SCALES, at = i % SCALES;
            image_a[at / 4][row % 32 * 16 + (row / 32 ^ (WRONG == 2 ? 1 : 0)) * 4 + at % 4] = sa[i];
        }
        for (int i = t; i < N * SCALES; i += 128) image_b[i % SCALES / 4][i / SCALES * 16 + i % 4] = sb[i];
    }
    if (WRONG != 4) fence_proxy();
    __syncthreads();
    u32 d = slot, lanes = warp * 32 << 16, of_a = d + 16, of_b = d + 32;
    if (t == 0) {
        if (KIND != 4 && WRONG != 8)
            for (int i = 0; i < (WRONG == 3 ? 1 : IMAGES); i++) copy(of_a + 4 * i, image_a[i]), copy(of_b + 4 * i, image_b[i]);
        for (int step = 0; step < STEPS; step++) {
            u32 image = KIND == 3 && WRONG != 3 ? step : 0, id = WRONG == 1 || KIND == 3 ? 0 : KIND == 2 ? 2 * step : step;
            if (WRONG == 3 && step) copy(of_a, image_a[1]), copy(of_b, image_b[1]);
            constexpr u32 types = KIND == 1 ? 0 << 7 | 1 << 10 : KIND == 4 ? 5 << 7 | 0 << 10 : KIND == 5 ? 5 << 7 | 1 << 10 : 1 << 7 | 1 << 10;
            u32 what = types | N / 8 << 17 | 128 / 16 << 24;
            if (KIND == 4) what |= 1 << 4;
            else what |= id << 4 | id << 29 | (KIND != 3 || WRONG == 5 ? 1 << 23 : 0);
            u64 x = describe(shared(as) + step * 2 * 128 * 16, 128 * 16, 128, 16), y = describe(shared(bs) + step * 2 * N * 16, N * 16, 128, 16);
            multiply(d, x, y, what, of_a + 4 * image, WRONG == 7 ? of_a : of_b + 4 * image, step > 0);
        }
        if (WRONG == 8) copy(of_a, image_a[0]), copy(of_b, image_b[0]);
        commit(&done);
    }
    wait(&done, 0);
    after();
    u32 r[N];
    for (int i = 0; i < N; i += 4)
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0,%1,%2,%3}, [%4];" : R4(r, i) : "r"(d + lanes + i) : "memory");
    wait_loads();
    for (int i = 0; i < N; i++) c[t * N + i] = __uint_as_float(r[i]);
    __syncthreads();
    if (warp == 0) give(d, 64);
}
