// y[k * n + i]: what the k-th instruction makes of the i-th operands, numbers or halves. With ASM
// the instruction itself, without it the same in C.
#include <cuda_fp16.h>
#ifdef ASM
#define ONE(text, plain) \
    { \
        float r; \
        asm("{.reg .pred p, q; .reg .b16 ha, hb, hc; .reg .b32 t, u, v; .reg .f32 f; " text "}" \
            : "=f"(r) \
            : "f"(a), "f"(b), "f"(c)); \
        z[k++ * n + i] = r; \
    }
#else
#define ONE(text, plain) z[k++ * n + i] = (plain);
#endif
// The operands as halves; as pairs of halves, and the sum of the halves of a pair.
#define HALVES "cvt.rn.f16.f32 ha, %1; cvt.rn.f16.f32 hb, %2; cvt.rn.f16.f32 hc, %3; "
#define PAIRS "cvt.rn.f16x2.f32 t, %1, %2; cvt.rn.f16x2.f32 u, %3, %1; "
#define SUM "mov.b32 {ha, hb}, v; cvt.f32.f16 f, ha; cvt.f32.f16 %0, hb; fma.rn.f32 %0, f, 0f40400000, %0; "

extern "C" __global__ void floats(const float *x, const float *y, const float *w, float *z) {
    int i = threadIdx.x, n = blockDim.x, k = 0;
    float a = x[i], b = y[i], c = w[i];
    ONE("mad.rn.f32 %0, %1, %2, %3;", a * b + c)
    ONE("slct.f32.f32 %0, %1, %2, %3;", c >= 0.0f ? a : b)
    ONE("testp.finite.f32 p, %1; selp.f32 %0, %2, %3, p;", b)
    ONE("testp.notanumber.f32 p, %1; selp.f32 %0, %2, %3, p;", c)
    ONE("set.gt.f32.f32 %0, %1, %2;", a > b ? 1.0f : 0.0f)
    ONE(HALVES "add.f16 ha, ha, hb; cvt.f32.f16 %0, ha;", a + b)
    ONE(HALVES "sub.f16 ha, ha, hb; cvt.f32.f16 %0, ha;", a - b)
    ONE(HALVES "mul.f16 ha, ha, hb; cvt.f32.f16 %0, ha;", a * b)
    ONE(HALVES "fma.rn.f16 ha, ha, hb, hc; cvt.f32.f16 %0, ha;", a * b + c)
    ONE(PAIRS "add.f16x2 v, t, u; " SUM, (a + c) + 3.0f * (b + a))
    ONE(PAIRS "sub.f16x2 v, t, u; " SUM, (a - c) + 3.0f * (b - a))
    ONE(PAIRS "mul.f16x2 v, t, u; " SUM, (a * c) + 3.0f * (b * a))
    ONE(PAIRS "setp.lt.f16x2 p|q, t, u; selp.f32 f, 1.0, 0.0, p; selp.f32 %0, 2.0, 0.0, q; add.f32 %0, %0, f;",
        (b < a ? 1.0f : 0.0f) + (a < c ? 2.0f : 0.0f))
    ONE(PAIRS "set.lt.f16x2.f16x2 v, t, u; " SUM, (a < c ? 1.0f : 0.0f) + (b < a ? 3.0f : 0.0f))
#ifdef NEWER
    ONE("min.f32 %0, %1, %2, %3;", fminf(fminf(a, b), c))
    ONE("max.f32 %0, %1, %2, %3;", fmaxf(a, fmaxf(b, c)))
    ONE(HALVES "add.f32.f16 %0, ha, %3;", a + c)
    ONE(HALVES "sub.f32.f16 %0, ha, %3;", a - c)
    ONE(HALVES "fma.rn.f32.f16 %0, ha, hb, %3;", a * b + c)
#endif
}
