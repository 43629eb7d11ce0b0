// y[i] = x[i], by way of fp8: as KIND says, from f32 or from f16, and back through f16. MUTANT 1
// takes the halves of the pair in the wrong order.
#include <cuda_fp16.h>
#if KIND == 1
#define FP8 "e4m3x2"
#else
#define FP8 "e5m2x2"
#endif
extern "C" __global__ void fp8(const float2 *x, float2 *y) {
    int i = threadIdx.x;
    float2 v = x[i];
    unsigned short packed;
#if KIND == 1
    asm("cvt.rn.satfinite." FP8 ".f32 %0, %1, %2;" : "=h"(packed) : "f"(v.y), "f"(v.x));
#else
    __half2 halves = __floats2half2_rn(v.x, v.y);
    asm("cvt.rn.satfinite." FP8 ".f16x2 %0, %1;" : "=h"(packed) : "r"(*(unsigned *)&halves));
#endif
    unsigned wide;
    asm("cvt.rn.f16x2." FP8 " %0, %1;" : "=r"(wide) : "h"(packed));
    __half2 back = *(__half2 *)&wide;
#if MUTANT == 1
    y[i] = make_float2(__high2float(back), __low2float(back));
#else
    y[i] = make_float2(__low2float(back), __high2float(back));
#endif
}
