// Two f32 in one 64-bit register, and minima and maxima of f32 among lanes: with ASM as instructions, without it in C.
#ifdef ASM
#define PAIR(text, plain) \
    { \
        unsigned long long r; \
        asm volatile(text : "=l"(r) : "l"(words[i]), "l"(words[32 + i]), "l"(words[64 + i])); \
        reinterpret_cast<unsigned long long *>(y)[k++ * 32 + i] = r; \
    }
#else
#define PAIR(text, plain) y[k++ * 32 + i] = make_float2(plain(a.x, b.x, c.x), plain(a.y, b.y, c.y));
#endif

__device__ float sum(float a, float b, float) { return a + b; }
__device__ float difference(float a, float b, float) { return a - b; }
__device__ float product(float a, float b, float) { return a * b; }

extern "C" __global__ void pairs(const float2 *x, float2 *y, float *z) {
    int i = threadIdx.x, k = 0;
#ifdef ASM
    const unsigned long long *words = reinterpret_cast<const unsigned long long *>(x);
#else
    float2 a = x[i], b = x[32 + i], c = x[64 + i];
#endif
    PAIR("add.f32x2 %0, %1, %2;", sum)
    PAIR("sub.rn.ftz.f32x2 %0, %1, %2;", difference)
    PAIR("mul.f32x2 %0, %1, %2;", product)
    PAIR("fma.rn.f32x2 %0, %1, %2, %3;", fmaf)
    float v = x[i].x, least = v, most = fabsf(v);
#ifdef ASM
    asm volatile("redux.sync.min.f32 %0, %1, -1;" : "=f"(least) : "f"(v));
    asm volatile("redux.sync.max.abs.NaN.f32 %0, %1, -1;" : "=f"(most) : "f"(v));
#else
    for (int by = 16; by; by >>= 1) {
        least = fminf(least, __shfl_xor_sync(~0u, least, by));
        most = fmaxf(most, __shfl_xor_sync(~0u, most, by));
    }
#endif
    z[i] = least;
    z[32 + i] = most;
}
