// D = A B + C of one tile by one warp, with elements of four bits or of one: `mma.sync` in the shape
// and types that KIND chooses. A is row-major, B column-major, both packed into words, the first
// element in the lowest bits. Launch: one block of 32 threads.
typedef unsigned int word;

#if KIND == 1 // s4, m8n8k32
#define M 8
#define K 32
#define FORM "m8n8k32.row.col.s32.s4.s4.s32"
#elif KIND == 2 // u4 by s4, m16n8k32, saturating
#define M 16
#define K 32
#define FORM "m16n8k32.row.col.satfinite.s32.u4.s4.s32"
#elif KIND == 3 // s4 by u4, m16n8k64
#define M 16
#define K 64
#define FORM "m16n8k64.row.col.s32.s4.u4.s32"
#elif KIND == 4 // bits that differ, m8n8k128
#define M 8
#define K 128
#define FORM "m8n8k128.row.col.s32.b1.b1.s32.xor.popc"
#elif KIND == 5 // bits that both have, m16n8k128
#define M 16
#define K 128
#define FORM "m16n8k128.row.col.s32.b1.b1.s32.and.popc"
#elif KIND == 6 // bits that differ, m16n8k256
#define M 16
#define K 256
#define FORM "m16n8k256.row.col.s32.b1.b1.s32.xor.popc"
#endif
#define WORDS (KIND < 4 ? K / 8 : K / 32) // of a row of A or a column of B: four or eight
#define A_REGS (M / 8 * WORDS / 4)

extern "C" __global__ void narrow(const word *A, const word *B, const int *C, int *D) {
    int lane = threadIdx.x, group = lane / 4, member = lane % 4;
    word a[4], b[2];
    for (int i = 0; i < A_REGS; ++i) a[i] = A[(group + i % (M / 8) * 8) * WORDS + i / (M / 8) * 4 + member];
    for (int i = 0; i < WORDS / 4; ++i) b[i] = B[group * WORDS + i * 4 + member];
#if MUTANT == 1
    word swap = a[0]; // wrong: two registers of A have changed places
    a[0] = a[1];
    a[1] = swap;
#endif
    int d[4];
    for (int i = 0; i < M / 4; ++i) d[i] = C[(group + i / 2 * 8) * 8 + member * 2 + i % 2];
#if M == 8
    asm volatile("mma.sync.aligned." FORM " {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(b[0]));
#elif KIND == 2 || KIND == 5
    asm volatile("mma.sync.aligned." FORM " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
#else
    asm volatile("mma.sync.aligned." FORM " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    for (int i = 0; i < M / 4; ++i) D[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = d[i];
}
