// y[t] = f(x[t], w[t]): what conversions do with numbers that have no place in their format. One block of 32
// threads.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__device__ float half_of(float v) { return __half2float(__float2half_rn(v)); }
__device__ float clamped(float v, float low, float high) { return fminf(fmaxf(v, low), high); }

// Rounded into a byte: the conversion saturates by itself.
__device__ int byte_of(float v) {
    int r;
    asm("{.reg .s8 t; cvt.rni.s8.f32 t, %1; cvt.s32.s8 %0, t;}" : "=r"(r) : "f"(v));
    return r;
}

// An integer saturated into a byte.
__device__ int saturated_byte(int v) {
    int r;
    asm("{.reg .b32 t; cvt.sat.s8.s32 t, %1; cvt.s32.s8 %0, t;}" : "=r"(r) : "r"(v));
    return r;
}

__device__ float bf16_of(float v) {
    unsigned short r;
    asm("cvt.rn.satfinite.bf16.f32 %0, %1;" : "=h"(r) : "f"(v));
    return __bfloat162float(__ushort_as_bfloat16(r));
}

__device__ float saturated_half_of(float v) {
    unsigned short r;
    asm("cvt.rn.satfinite.f16.f32 %0, %1;" : "=h"(r) : "f"(v));
    return __half2float(__ushort_as_half(r));
}

__device__ float tf32_of(float v) {
    unsigned r;
    asm("cvt.rna.satfinite.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
    return __uint_as_float(r);
}

// Two numbers to e4m3 and back at once.
__device__ float2 pair_of(float a, float b) {
    __nv_fp8x2_storage_t c = __nv_cvt_float2_to_fp8x2(make_float2(a, b), __NV_SATFINITE, __NV_E4M3);
    return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(c, __NV_E4M3)));
}

extern "C" __global__ void formats(const float* x, const float* w, float* y) {
    int t = threadIdx.x;
    float v = x[t], k = w[t];
#if FORM == 0  // quantised and back, by a conversion alone
    y[t] = (float)byte_of(v / k) * k;
#elif FORM == 1  // clamped before it is rounded
    y[t] = rintf(clamped(v / k, -128.0f, 127.0f)) * k;
#elif FORM == 2  // clamped after it
    y[t] = (float)min(max(__float2int_rn(v / k), -128), 127) * k;
#elif FORM == 3
    y[t] = (float)saturated_byte(__float2int_rn(v / k)) * k;
#elif FORM == 4  // wrong: to the symmetric range
    y[t] = rintf(clamped(v / k, -127.0f, 127.0f)) * k;
#elif FORM == 5  // wrong: a cast wraps
    y[t] = (float)(signed char)__float2int_rn(v / k) * k;
#elif FORM == 6  // not clamped
    y[t] = rintf(v / k) * k;
#elif FORM == 7  // by the ends of the wide integers, which the conversion has anyway
    y[t] = (float)min(max(__float2int_rn(clamped(v / k, -2147483648.0f, 2147483648.0f)), -128), 127) * k;
#elif FORM == 8  // into f16: large numbers are infinite
    y[t] = half_of(v) + k;
#elif FORM == 9
    y[t] = half_of(clamped(v, -65504.0f, 65504.0f)) + k;
#elif FORM == 10
    y[t] = saturated_half_of(v) + k;
#elif FORM == 11  // wrong: differs from 8 where f16 has numbers
    y[t] = half_of(v) + (v > 60000.0f ? k + 1.0f : k);
#elif FORM == 12
    y[t] = bf16_of(v) * tf32_of(k);
#elif FORM == 13
    y[t] = v * k;
#elif FORM == 14
    y[t] = pair_of(v, k).x - 2.0f * pair_of(v, k).y;
#elif FORM == 15
    y[t] = clamped(v, -448.0f, 448.0f) - 2.0f * clamped(k, -448.0f, 448.0f);
#elif FORM == 16  // wrong: one end of one half
    y[t] = clamped(v, -448.0f, 448.0f) - 2.0f * clamped(k, -440.0f, 448.0f);
#elif FORM == 17  // a mask that takes nothing away
    y[t] = (float)((int)clamped(v, 0.0f, 255.0f) & 255) + k;
#elif FORM == 18
    y[t] = truncf(clamped(v, 0.0f, 255.0f)) + k;
#elif FORM == 19  // wrong: 256 is masked to 0
    y[t] = (float)((int)clamped(v, 0.0f, 256.0f) & 255) + k;
#endif
}
