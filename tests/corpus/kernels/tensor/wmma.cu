// D = alpha (A B) + C of one tile by one warp with `wmma`, in the shape and types that KIND chooses.
// The sum is scaled element by element, which no layout of the fragment can disturb.
// Launch: one block of 32 threads.
typedef unsigned short half_bits;
typedef unsigned int word;
#define LIST8(c) c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
#define OUT8(p, c) "=" p(c[0]), "=" p(c[1]), "=" p(c[2]), "=" p(c[3]), "=" p(c[4]), "=" p(c[5]), "=" p(c[6]), "=" p(c[7])
#define IO8(p, c) "+" p(c[0]), "+" p(c[1]), "+" p(c[2]), "+" p(c[3]), "+" p(c[4]), "+" p(c[5]), "+" p(c[6]), "+" p(c[7])
#define IN8(p, c) p(c[0]), p(c[1]), p(c[2]), p(c[3]), p(c[4]), p(c[5]), p(c[6]), p(c[7])

#if KIND <= 4
extern "C" __global__ void wmma_tile(const half_bits *A, const half_bits *B, const float *C, float *D, float alpha) {
    word a[8], b[8];
    float c[8], d[8];
    for (int i = 0; i < 8; ++i) d[i] = 0.0f;
#if KIND == 1 // m16n16k16, row by row
#define A_LOAD "wmma.load.a.sync.aligned.row.m16n16k16.global.f16"
#define B_LOAD "wmma.load.b.sync.aligned.row.m16n16k16.global.f16"
#define MMA "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32"
#define C_LOAD "wmma.load.c.sync.aligned.row.m16n16k16.global.f32"
#define STORE "wmma.store.d.sync.aligned.row.m16n16k16.global.f32"
    int lda = 16, ldb = 16, ldc = 16;
#elif KIND == 2 // m16n16k16, B column-major
#define A_LOAD "wmma.load.a.sync.aligned.row.m16n16k16.global.f16"
#define B_LOAD "wmma.load.b.sync.aligned.col.m16n16k16.global.f16"
#define MMA "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"
#define C_LOAD "wmma.load.c.sync.aligned.row.m16n16k16.global.f32"
#define STORE "wmma.store.d.sync.aligned.row.m16n16k16.global.f32"
    int lda = 16, ldb = 16, ldc = 16;
#elif KIND == 3 // m32n8k16
#define A_LOAD "wmma.load.a.sync.aligned.row.m32n8k16.global.f16"
#define B_LOAD "wmma.load.b.sync.aligned.row.m32n8k16.global.f16"
#define MMA "wmma.mma.sync.aligned.row.row.m32n8k16.f32.f32"
#define C_LOAD "wmma.load.c.sync.aligned.row.m32n8k16.global.f32"
#define STORE "wmma.store.d.sync.aligned.row.m32n8k16.global.f32"
    int lda = 16, ldb = 8, ldc = 8;
#else // m16n16k16, but B is loaded as columns and multiplied as rows: wrong
#define A_LOAD "wmma.load.a.sync.aligned.row.m16n16k16.global.f16"
#define B_LOAD "wmma.load.b.sync.aligned.col.m16n16k16.global.f16"
#define MMA "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32"
#define C_LOAD "wmma.load.c.sync.aligned.row.m16n16k16.global.f32"
#define STORE "wmma.store.d.sync.aligned.row.m16n16k16.global.f32"
    int lda = 16, ldb = 16, ldc = 16;
#endif
    asm volatile(A_LOAD " {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;" : OUT8("r", a) : "l"(A), "r"(lda) : "memory");
    asm volatile(B_LOAD " {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;" : OUT8("r", b) : "l"(B), "r"(ldb) : "memory");
    asm volatile(MMA " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, {%0,%1,%2,%3,%4,%5,%6,%7};"
        : IO8("f", d) : IN8("r", a), IN8("r", b));
    asm volatile(C_LOAD " {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;" : OUT8("f", c) : "l"(C), "r"(ldc) : "memory");
    for (int i = 0; i < 8; ++i) d[i] = alpha * d[i] + c[i];
    asm volatile(STORE " [%8], {%0,%1,%2,%3,%4,%5,%6,%7}, %9;" : : IN8("f", d), "l"(D), "r"(ldc) : "memory");
}
#endif
