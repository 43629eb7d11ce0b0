// D = A B + C of one tile by one warp, A without its zeros: `mma.sp` in the shape and types that
// KIND chooses. A is row-major, 16 x K/2; E holds the positions of its elements, row by row, four
// bits a chunk; B is row-major. Only the lanes that the selector names fetch metadata: zero, which
// the others hold, would be undefined. Launch: one block of 32 threads.
typedef unsigned char byte;
typedef unsigned short half_bits;
typedef unsigned int word;

#if KIND == 1 // f16, m16n8k16
#define FORM "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#define K 16
#define SELECTOR 2
#elif KIND == 2 // f16 with f16 sums, m16n8k32
#define FORM "mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16"
#define K 32
#define SELECTOR 1
#elif KIND == 3 // bf16, m16n8k32
#define FORM "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32"
#define K 32
#define SELECTOR 0
#elif KIND == 4 // tf32, m16n8k8
#define FORM "mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
#define K 8
#define SELECTOR 3
#elif KIND == 5 // tf32, m16n8k16
#define FORM "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32"
#define K 16
#define SELECTOR 1
#elif KIND == 6 // s8, m16n8k32
#define FORM "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"
#define K 32
#define SELECTOR 1
#elif KIND == 7 // u8 by s8, m16n8k64, saturating
#define FORM "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.u8.s8.s32"
#define K 64
#define SELECTOR 0
#elif KIND == 8 // e4m3 by e5m2, m16n8k64
#define FORM "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32"
#define K 64
#define SELECTOR 0
#elif KIND == 9 // s4, m16n8k128; A and B are packed, B column-major
#define FORM "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32"
#define K 128
#define SELECTOR 0
#endif

#if KIND <= 3
typedef half_bits element;
#define EACH 2 // elements in a register
#elif KIND == 4 || KIND == 5 || KIND == 9
typedef word element;
#define EACH (KIND == 9 ? 8 : 1)
#else
typedef byte element;
#define EACH 4
#endif
#if KIND == 2
typedef half_bits sum;
#elif KIND == 6 || KIND == 7 || KIND == 9
typedef int sum;
#else
typedef float sum;
#endif
#define REGS (K / 4 / EACH) // of A, and as many of B
#define LINE (KIND == 4 || KIND == 5 ? K / 8 : KIND == 9 ? K / 32 : K / 16) // metadata of a row, sixteen bits each

__device__ word positions(const half_bits *E, int group, int member) {
#if KIND == 1 || KIND == 4 // one lane, both rows
    return member == SELECTOR ? (word)E[group * LINE] | (word)E[(group + 8) * LINE] << 16 : 0;
#elif KIND == 2 || KIND == 3 || KIND == 5 // two lanes, half of both rows each
    int half = member % 2;
    return member / 2 == SELECTOR ? (word)E[group * LINE + half] | (word)E[(group + 8) * LINE + half] << 16 : 0;
#elif KIND == 6 // two lanes, a row each
    const half_bits *e = E + (group + member % 2 * 8) * LINE;
    return member / 2 == SELECTOR ? (word)e[0] | (word)e[1] << 16 : 0;
#else // four lanes, half of a row each
    const half_bits *e = E + (group + member % 2 * 8) * LINE + member / 2 * 2;
    return (word)e[0] | (word)e[1] << 16;
#endif
}

extern "C" __global__ void sparse(const element *A, const half_bits *E, const element *B, const sum *C, sum *D) {
    int lane = threadIdx.x, group = lane / 4, member = lane % 4;
    word a[REGS], b[REGS];
#if KIND == 9
    for (int i = 0; i < REGS; ++i) a[i] = A[(group + i % 2 * 8) * (K / 16) + i / 2 * 4 + member];
    for (int i = 0; i < REGS; ++i) b[i] = B[group * (K / 8) + i * 4 + member];
#else
    for (int i = 0; i < REGS; ++i) {
        a[i] = b[i] = 0;
        for (int j = 0; j < EACH; ++j) {
            a[i] |= (word)A[(group + i % 2 * 8) * (K / 2) + (i / 2 * 4 + member) * EACH + j] << 32 / EACH * j;
            b[i] |= (word)B[((i * 4 + member) * EACH + j) * 8 + group] << 32 / EACH * j;
        }
    }
#endif
    word e = positions(E, group, member);
#if MUTANT == 1
    word swap = a[0]; // wrong: two registers of A have changed places
    a[0] = a[1];
    a[1] = swap;
#elif MUTANT == 2
    e = e << 16 | e >> 16; // wrong: the positions of two rows have changed places
#endif
#define AT(i) ((group + (i) / 2 * 8) * 8 + member * 2 + (i) % 2)
#if KIND == 2
    word d[2];
    for (int i = 0; i < 2; ++i) d[i] = (word)C[AT(2 * i)] | (word)C[AT(2 * i + 1)] << 16;
    asm volatile(FORM " {%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%0,%1}, %10, %11;" : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e), "n"(SELECTOR));
    for (int i = 0; i < 2; ++i) {
        D[AT(2 * i)] = (half_bits)d[i];
        D[AT(2 * i + 1)] = (half_bits)(d[i] >> 16);
    }
#else
#if KIND == 6 || KIND == 7 || KIND == 9
#define PUT "+r"
#else
#define PUT "+f"
#endif
    sum d[4];
    for (int i = 0; i < 4; ++i) d[i] = C[AT(i)];
#if KIND == 1 || KIND == 4 || KIND == 6
    asm volatile(FORM " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, %9;"
        : PUT(d[0]), PUT(d[1]), PUT(d[2]), PUT(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(e), "n"(SELECTOR));
#else
    asm volatile(FORM " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, %13;"
        : PUT(d[0]), PUT(d[1]), PUT(d[2]), PUT(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e), "n"(SELECTOR));
#endif
    for (int i = 0; i < 4; ++i) D[AT(i)] = d[i];
#endif
}
