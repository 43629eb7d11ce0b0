// D = A · B + C of a warp, 16 × 8, of floats of four to eight bits (mma.sync of sm_120).
// KIND 1: each element in a byte, of types TA and TB. 2: the same, with a scale for each 32 (mxf8f6f4). 3: four bits, a
// scale for each 32 (mxf4). 4: four bits, a scale for each 16, of e4m3 (mxf4nvf4).
// WRONG 1: the scales of the first step for all. 2: the scales of other lanes.
// 4: rows 8 to 15 have the scales of rows 0 to 7. 5: the halves of the depth of B change places.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef TA
#define TA e2m1
#define TB e2m1
#endif
#include "narrow.h"
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define IS_e2m1 1
#define IS_e4m3 0
#define IS_e5m2 0
#define IS_e2m3 0
#define IS_e3m2 0
constexpr int BLOCKS = KIND == 2 ? 1 : KIND == 3 ? 2 : 4; // scales of a step
constexpr int STEPS = KIND == 1 ? 1 : 4 / BLOCKS, K = STEPS * 32; // bytes of a row

__device__ inline float scale(byte x) { return KIND == 4 ? e4m3(x) : ue8m0(x); }

extern "C" __global__ void ref(const byte *a, const byte *b, const byte *sa, const byte *sb, const float *c, float *d) {
    int row = threadIdx.x / 8, col = threadIdx.x % 8;
    float s = c[row * 8 + col];
    for (int k = 0; k < K; k++) {
        byte x = a[row * K + k], y = b[col * K + k];
#if KIND < 3
        float both = TA(x) * TB(y);
        int block = k / 32;
#else
        float both = e2m1(x & 15) * e2m1(y & 15) + e2m1(x >> 4) * e2m1(y >> 4);
        int block = k / (KIND == 3 ? 16 : 8);
#endif
        s += KIND == 1 ? both : both * (scale(sa[row * 4 + block]) * scale(sb[col * 4 + block]));
    }
    d[row * 8 + col] = s;
}

#if KIND == 1
#define WHAT "m16n8k32.row.col.kind::f8f6f4.f32." TEXT(TA) "." TEXT(TB) ".f32"
#elif KIND == 2
#define WHAT "m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32." TEXT(TA) "." TEXT(TB) ".f32.ue8m0"
#elif KIND == 3
#define WHAT "m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0"
#else
#define WHAT "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3"
#endif
#define SUMS "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
#define FACTORS "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1])
#define REGISTERS "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}"

// Words of A and B at the step's bytes of their rows.
__device__ inline u32 word(const byte *from, int at, bool low) {
    u32 x = *(const u32 *)(from + at);
    return low ? x << 2 : x;
}

extern "C" __global__ void opt(const byte *a, const byte *b, const byte *sa, const byte *sb, const float *c, float *d) {
    int lane = threadIdx.x, group = lane / 4, member = lane % 4;
    float s[4];
    for (int i = 0; i < 4; i++) s[i] = c[(group + i / 2 * 8) * 8 + member * 2 + i % 2];
#if KIND > 1
    // Lanes 2 and 3 of a group give the scales of its two rows, lane 1 that of its column.
    u32 of_a = 0x01010101, of_b = 0x01010101;
    if (WRONG == 2 ? member < 2 : member > 1) of_a = *(const u32 *)(sa + (group + (WRONG == 4 ? 0 : member % 2 * 8)) * 4);
    if (member == 1) of_b = *(const u32 *)(sb + group * 4);
#endif
    for (int step = 0; step < STEPS; step++) {
        u32 x[4], y[2];
        constexpr bool bytes = KIND < 3 ;
        for (int i = 0; i < 4; i++)
            x[i] = word(a, (group + i % 2 * 8) * K + step * 32 + i / 2 * 16 + member * 4, bytes && JOIN(IS_, TA));
        for (int i = 0; i < 2; i++)
            y[i] = word(b, group * K + step * 32 + (WRONG == 5 ? 1 - i : i) * 16 + member * 4, bytes && JOIN(IS_, TB));
#if KIND == 1
        asm("mma.sync.aligned." WHAT " " REGISTERS ";" : SUMS : FACTORS);
#else
        unsigned short from = WRONG == 1 ? 0 : step * BLOCKS;
        asm("mma.sync.aligned." WHAT " " REGISTERS ", %10, {%12, 1}, %11, {%12, 1};" : SUMS : FACTORS, "r"(of_a), "r"(of_b), "h"(from));
#endif
    }
    for (int i = 0; i < 4; i++) d[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = s[i];
}
