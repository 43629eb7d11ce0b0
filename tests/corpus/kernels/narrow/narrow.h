// Floats of four and six bits, and scales, as instructions of one element.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef unsigned char byte;
typedef unsigned u32;

// The first of a pair as f32.
__device__ inline float lower(u32 pair) { return __half2float(__ushort_as_half((unsigned short)pair)); }
#define FROM_BYTE(name)                                                                                                \
    __device__ inline float name(byte x) {                                                                             \
        u32 pair;                                                                                                      \
        asm("cvt.rn.f16x2." #name "x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)x));                                 \
        return lower(pair);                                                                                            \
    }
FROM_BYTE(e4m3)
FROM_BYTE(e5m2)
FROM_BYTE(e2m3)
FROM_BYTE(e3m2)
// Both of a pair of e2m1: a byte.
__device__ inline u32 e2m1_pair(byte x) {
    u32 pair;
    asm("{ .reg .b8 h; cvt.u8.u16 h, %1; cvt.rn.f16x2.e2m1x2 %0, h; }" : "=r"(pair) : "h"((unsigned short)x));
    return pair;
}
__device__ inline float e2m1(byte x) { return lower(e2m1_pair(x)); }
__device__ inline float ue8m0(byte x) {
    u32 pair;
    asm("cvt.rn.bf16x2.ue8m0x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)x));
    return __uint_as_float(pair << 16);
}
