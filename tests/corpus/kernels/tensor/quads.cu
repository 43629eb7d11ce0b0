// Four products D = A B + C of 8 x 8 x 4 by one warp: `mma.sync.m8n8k4` of f16, one product by each
// quad pair (lanes 4q to 4q + 3 and 16 + 4q to 19 + 4q). All matrices are row-major, one behind the
// other; A_COL and B_COL say by which lines a lane takes its elements. Launch: one block of 32 threads.
#include <cuda_fp16.h>

typedef unsigned short half_bits;
typedef unsigned int word;

__device__ word pair(half_bits low, half_bits high) { return (word)low | (word)high << 16; }

#if A_COL
#define A_LAYOUT "col"
#else
#define A_LAYOUT "row"
#endif
#if B_COL
#define B_LAYOUT "col"
#else
#define B_LAYOUT "row"
#endif

extern "C" __global__ void quads(const half_bits *A, const half_bits *B, const SUM *C, SUM *D) {
    int lane = threadIdx.x, quad = lane % 16 / 4, member = lane % 4, upper = lane < 16 ? 0 : 4;
    const half_bits *a = A + quad * 32, *b = B + quad * 32;
    half_bits x[4], y[4];
    for (int i = 0; i < 4; ++i) {
#if A_COL
        x[i] = a[(i + upper) * 4 + member];
#else
        x[i] = a[(member + upper) * 4 + i];
#endif
#if B_COL
        y[i] = b[i * 8 + member + upper];
#else
        y[i] = b[member * 8 + i + upper];
#endif
    }
    word xs[2] = {pair(x[0], x[1]), pair(x[2], x[3])}, ys[2] = {pair(y[0], y[1]), pair(y[2], y[3])};
#if MUTANT == 1
    word swap = xs[0]; // wrong: the registers of A have changed places
    xs[0] = xs[1];
    xs[1] = swap;
#endif
#if HALVES
    const word *c = (const word *)(C + quad * 64 + (member + upper) * 8);
    word *d = (word *)(D + quad * 64 + (member + upper) * 8);
    word s[4];
    for (int i = 0; i < 4; ++i) s[i] = c[i];
    asm volatile("mma.sync.aligned.m8n8k4." A_LAYOUT "." B_LAYOUT ".f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3};"
        : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : "r"(xs[0]), "r"(xs[1]), "r"(ys[0]), "r"(ys[1]));
    for (int i = 0; i < 4; ++i) d[i] = s[i];
#else
    float s[8];
#define AT(i) (quad * 64 + ((lane & 1) + (i & 2) + upper) * 8 + (i & 4) + (lane & 2) + (i & 1))
    for (int i = 0; i < 8; ++i) s[i] = C[AT(i)];
    asm volatile("mma.sync.aligned.m8n8k4." A_LAYOUT "." B_LAYOUT ".f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]), "+f"(s[4]), "+f"(s[5]), "+f"(s[6]), "+f"(s[7])
        : "r"(xs[0]), "r"(xs[1]), "r"(ys[0]), "r"(ys[1]));
    for (int i = 0; i < 8; ++i) D[AT(i)] = s[i];
#endif
}
