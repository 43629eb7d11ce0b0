// Conversions of floats of four and six bits and of scales. One block of 32 threads.
// KIND 1: 64 weights of four bits, two a byte, with a scale for each 32. 2: such weights and scales made of 64 numbers.
// 3: through e2m3 and back. 4: through e3m2, without what is negative. 5: scales of bf16.
// WRONG 1: the halves of a byte change places. 2: one scale for all. 3: the scale is rounded down.
// 4: negative numbers stay. 5: the limits of the other format.
#ifndef WRONG
#define WRONG 0
#endif
#include "narrow.h"

__device__ inline byte scale_of(float most) {
    unsigned short pair;
#if WRONG == 3
    asm("cvt.rz.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(most)); // wrong: down
#else
    asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(most));
#endif
    return (byte)pair;
}
__device__ inline byte fours(float high, float low) {
    unsigned short both;
    asm("{ .reg .b8 h; cvt.rn.satfinite.e2m1x2.f32 h, %1, %2; mov.b16 %0, {h, 0}; }" : "=h"(both) : "f"(high), "f"(low));
    return (byte)both;
}

#if KIND == 1
// A number of two bits of exponent and one of fraction, by its bits.
__device__ inline float plain(int x) {
    int power = x >> 1 & 3, digit = x & 1;
    float size = power == 0 ? 0.5f * digit : power == 1 ? 1 + 0.5f * digit : power == 2 ? 2.0f + digit : 4.0f + 2 * digit;
    return x & 8 ? -size : size;
}
extern "C" __global__ void ref(const byte *w, const byte *s, float *out) {
    int i = threadIdx.x;
    float scale = ue8m0(s[i / 16]);
    out[2 * i] = plain(w[i] & 15) * scale;
    out[2 * i + 1] = plain(w[i] >> 4) * scale;
}
extern "C" __global__ void opt(const byte *w, const byte *s, float *out) {
    int i = threadIdx.x;
    u32 pair = e2m1_pair(w[i]);
    float scale = ue8m0(s[WRONG == 2 ? 0 : i / 16]);
    out[2 * i] = lower(WRONG == 1 ? pair >> 16 : pair) * scale;
    out[2 * i + 1] = lower(WRONG == 1 ? pair : pair >> 16) * scale;
}
#elif KIND == 2
extern "C" __global__ void ref(const float *x, byte *w, byte *s) {
    if (threadIdx.x > 1) return;
    const float *block = x + threadIdx.x * 32;
    float most = 0;
    for (int i = 0; i < 32; i++) most = fmaxf(most, fabsf(block[i]));
    byte scale;
    unsigned short pair;
    asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(most / 6));
    scale = (byte)pair;
    s[threadIdx.x] = scale;
    for (int i = 0; i < 16; i++) w[threadIdx.x * 16 + i] = fours(block[2 * i + 1] / ue8m0(scale), block[2 * i] / ue8m0(scale));
}
extern "C" __global__ void opt(const float *x, byte *w, byte *s) {
    int i = threadIdx.x;
    float2 two = ((const float2 *)x)[i];
    float most = fmaxf(fabsf(two.x), fabsf(two.y));
    for (int by = 8; by > 0; by /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, by));
    byte scale = scale_of(most * (1.0f / 6));
    if (i % 16 == 0) s[i / 16] = scale;
    float by = 1 / ue8m0(scale);
    w[i] = WRONG == 1 ? fours(two.x * by, two.y * by) : fours(two.y * by, two.x * by);
}
#elif KIND == 3 || KIND == 4
extern "C" __global__ void ref(const float *x, float *out) {
    float limit = KIND == 3 ? 7.5f : 28.0f;
    int i = threadIdx.x;
    for (int j = 2 * i; j < 2 * i + 2; j++) out[j] = fminf(fmaxf(x[j], KIND == 4 ? 0 : -limit), limit);
}
extern "C" __global__ void opt(const float *x, float *out) {
    int i = threadIdx.x;
    unsigned short both;
    u32 pair;
#if KIND == 3 && WRONG != 5
    asm("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(x[2 * i + 1]), "f"(x[2 * i]));
    asm("cvt.rn.f16x2.e2m3x2 %0, %1;" : "=r"(pair) : "h"(both));
#elif KIND == 3 || WRONG == 4
    asm("cvt.rn.satfinite.e3m2x2.f32 %0, %1, %2;" : "=h"(both) : "f"(x[2 * i + 1]), "f"(x[2 * i]));
    asm("cvt.rn.f16x2.e3m2x2 %0, %1;" : "=r"(pair) : "h"(both));
#else
    asm("cvt.rn.satfinite.relu.e3m2x2.f32 %0, %1, %2;" : "=h"(both) : "f"(x[2 * i + 1]), "f"(x[2 * i]));
    asm("cvt.rn.relu.f16x2.e3m2x2 %0, %1;" : "=r"(pair) : "h"(both));
#endif
    out[2 * i] = lower(pair);
    out[2 * i + 1] = lower(pair >> 16);
}
#else
extern "C" __global__ void ref(const __nv_bfloat16 *x, byte *s) {
    int i = threadIdx.x;
    for (int j = 2 * i; j < 2 * i + 2; j++) {
        unsigned short pair;
        asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(__bfloat162float(x[j])));
        s[j] = (byte)pair;
    }
}
extern "C" __global__ void opt(const __nv_bfloat16 *x, byte *s) {
    unsigned short pair;
#if WRONG == 3
    asm("cvt.rz.satfinite.ue8m0x2.bf16x2 %0, %1;" : "=h"(pair) : "r"(((const u32 *)x)[threadIdx.x])); // wrong: down
#else
    asm("cvt.rp.satfinite.ue8m0x2.bf16x2 %0, %1;" : "=h"(pair) : "r"(((const u32 *)x)[threadIdx.x]));
#endif
    ((unsigned short *)s)[threadIdx.x] = pair;
}
#endif
