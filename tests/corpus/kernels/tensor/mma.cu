// D = A B + C of one tensor-core tile by one warp: `mma.sync` in the shape and types that KIND
// chooses. Every lane fetches its elements from row-major matrices by the formulas of the manual's
// figures. Launch: one block of 32 threads.
#include <cuda_fp16.h>

#if KIND == 1 // f16, m16n8k16
#define M 16
#define N 8
#define K 16
#elif KIND == 2 // f16, m16n8k8
#define M 16
#define N 8
#define K 8
#elif KIND == 3 // tf32, m16n8k8
#define M 16
#define N 8
#define K 8
#elif KIND == 4 // tf32, m16n8k4
#define M 16
#define N 8
#define K 4
#elif KIND == 5 // f64, m8n8k4
#define M 8
#define N 8
#define K 4
#elif KIND == 6 // s8, m16n8k32
#define M 16
#define N 8
#define K 32
#elif KIND == 7 // u8 by s8, m8n8k16
#define M 8
#define N 8
#define K 16
#elif KIND == 8 // f16 with f16 sums, m16n8k16
#define M 16
#define N 8
#define K 16
#elif KIND == 9 // bf16, m16n8k16
#define M 16
#define N 8
#define K 16
#elif KIND == 10 // s8, m16n8k16
#define M 16
#define N 8
#define K 16
#elif KIND == 11 // e4m3 by e5m2, m16n8k32
#define M 16
#define N 8
#define K 32
#elif KIND == 12 // f64, m16n8k8
#define M 16
#define N 8
#define K 8
#endif

typedef unsigned short half_bits;
typedef unsigned int word;

__device__ word pair(half_bits low, half_bits high) { return (word)low | (word)high << 16; }
__device__ word bytes(const unsigned char *p) { return *(const word *)p; }

#if KIND == 1 || KIND == 2 || KIND == 8 || KIND == 9
typedef half_bits in_a;
typedef half_bits in_b;
#elif KIND == 3 || KIND == 4
typedef float in_a;
typedef float in_b;
#elif KIND == 5 || KIND == 12
typedef double in_a;
typedef double in_b;
#else
typedef unsigned char in_a;
typedef unsigned char in_b;
#endif
#if KIND == 5 || KIND == 12
typedef double sum;
#elif KIND == 6 || KIND == 7 || KIND == 10
typedef int sum;
#elif KIND == 8
typedef half_bits sum;
#else
typedef float sum;
#endif

extern "C" __global__ void mma_tile(const in_a *A, const in_b *B, const sum *C, sum *D) {
    int lane = threadIdx.x, group = lane >> 2, member = lane % 4;
    // A row-major M x K, B row-major K x N, C and D row-major M x N.
#define AT(row, col) A[(row) * K + (col)]
#define BT(row, col) B[(row) * N + (col)]
#define CT(row, col) C[(row) * N + (col)]
#define DT(row, col) D[(row) * N + (col)]
#if KIND == 1 || KIND == 9
    word a[4], b[2];
    for (int i = 0; i < 8; i += 2) {
        int row = (i < 2 || (i >= 4 && i < 6)) ? group : group + 8;
        int col = member * 2 + (i < 4 ? 0 : 8);
        a[i / 2] = pair(AT(row, col), AT(row, col + 1));
    }
    for (int i = 0; i < 4; i += 2) {
        int row = member * 2 + (i < 2 ? 0 : 8);
        b[i / 2] = pair(BT(row, group), BT(row + 1, group));
    }
    float d[4];
    for (int i = 0; i < 4; ++i) d[i] = CT(i < 2 ? group : group + 8, member * 2 + (i & 1));
#if KIND == 1
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#endif
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int i = 0; i < 4; ++i) DT(i < 2 ? group : group + 8, member * 2 + (i & 1)) = d[i];
#elif KIND == 2
    word a[2], b;
    for (int i = 0; i < 4; i += 2) {
        int row = i < 2 ? group : group + 8;
        a[i / 2] = pair(AT(row, member * 2), AT(row, member * 2 + 1));
    }
    b = pair(BT(member * 2, group), BT(member * 2 + 1, group));
    float d[4];
    for (int i = 0; i < 4; ++i) d[i] = CT(i < 2 ? group : group + 8, member * 2 + (i & 1));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b));
    for (int i = 0; i < 4; ++i) DT(i < 2 ? group : group + 8, member * 2 + (i & 1)) = d[i];
#elif KIND == 8
    word a[4], b[2], d[2];
    for (int i = 0; i < 8; i += 2) {
        int row = (i < 2 || (i >= 4 && i < 6)) ? group : group + 8;
        int col = member * 2 + (i < 4 ? 0 : 8);
        a[i / 2] = pair(AT(row, col), AT(row, col + 1));
    }
    for (int i = 0; i < 4; i += 2) {
        int row = member * 2 + (i < 2 ? 0 : 8);
        b[i / 2] = pair(BT(row, group), BT(row + 1, group));
    }
    for (int i = 0; i < 2; ++i) d[i] = pair(CT(group + 8 * i, member * 2), CT(group + 8 * i, member * 2 + 1));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
        : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int i = 0; i < 2; ++i) {
        DT(group + 8 * i, member * 2) = (half_bits)d[i];
        DT(group + 8 * i, member * 2 + 1) = (half_bits)(d[i] >> 16);
    }
#elif KIND == 3
    float a[4], b[2], d[4];
    for (int i = 0; i < 4; ++i) a[i] = AT(i == 0 || i == 2 ? group : group + 8, i < 2 ? member : member + 4);
    for (int i = 0; i < 2; ++i) b[i] = BT(i == 0 ? member : member + 4, group);
    for (int i = 0; i < 4; ++i) d[i] = CT(i < 2 ? group : group + 8, member * 2 + (i & 1));
    word ta[4], tb[2];
    for (int i = 0; i < 4; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ta[i]) : "f"(a[i]));
    for (int i = 0; i < 2; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(tb[i]) : "f"(b[i]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ta[0]), "r"(ta[1]), "r"(ta[2]), "r"(ta[3]), "r"(tb[0]), "r"(tb[1]));
    for (int i = 0; i < 4; ++i) DT(i < 2 ? group : group + 8, member * 2 + (i & 1)) = d[i];
#elif KIND == 4
    float d[4];
    word ta[2], tb;
    for (int i = 0; i < 2; ++i) ta[i] = __float_as_uint(AT(i == 0 ? group : group + 8, member));
    tb = __float_as_uint(BT(member, group));
    for (int i = 0; i < 4; ++i) d[i] = CT(i < 2 ? group : group + 8, member * 2 + (i & 1));
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ta[0]), "r"(ta[1]), "r"(tb));
    for (int i = 0; i < 4; ++i) DT(i < 2 ? group : group + 8, member * 2 + (i & 1)) = d[i];
#elif KIND == 5
    double a = AT(group, member), b = BT(member, group), d[2];
    for (int i = 0; i < 2; ++i) d[i] = CT(group, member * 2 + (i & 1));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
    for (int i = 0; i < 2; ++i) DT(group, member * 2 + (i & 1)) = d[i];
#elif KIND == 12
    double a[4], b[2], d[4];
    for (int i = 0; i < 4; ++i) a[i] = AT(i == 0 || i == 2 ? group : group + 8, i < 2 ? member : member + 4);
    for (int i = 0; i < 2; ++i) b[i] = BT(member + 4 * i, group);
    for (int i = 0; i < 4; ++i) d[i] = CT(i < 2 ? group : group + 8, member * 2 + (i & 1));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
    for (int i = 0; i < 4; ++i) DT(i < 2 ? group : group + 8, member * 2 + (i & 1)) = d[i];
#elif KIND == 6 || KIND == 11
    word a[4], b[2];
    sum d[4];
    for (int i = 0; i < 16; i += 4) {
        int row = (i < 4 || (i >= 8 && i < 12)) ? group : group + 8;
        int col = member * 4 + (i < 8 ? 0 : 16);
        a[i / 4] = bytes(&AT(row, col));
    }
    for (int i = 0; i < 8; i += 4) {
        int row = member * 4 + (i < 4 ? 0 : 16);
        b[i / 4] = (word)BT(row, group) | (word)BT(row + 1, group) << 8 | (word)BT(row + 2, group) << 16 | (word)BT(row + 3, group) << 24;
    }
    for (int i = 0; i < 4; ++i) d[i] = CT(i < 2 ? group : group + 8, member * 2 + (i & 1));
#if KIND == 6
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    for (int i = 0; i < 4; ++i) DT(i < 2 ? group : group + 8, member * 2 + (i & 1)) = d[i];
#elif KIND == 10
    word a[2], b;
    int d[4];
    for (int i = 0; i < 8; i += 4) a[i / 4] = bytes(&AT(i < 4 ? group : group + 8, member * 4));
    b = (word)BT(member * 4, group) | (word)BT(member * 4 + 1, group) << 8 | (word)BT(member * 4 + 2, group) << 16 | (word)BT(member * 4 + 3, group) << 24;
    for (int i = 0; i < 4; ++i) d[i] = CT(i < 2 ? group : group + 8, member * 2 + (i & 1));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b));
    for (int i = 0; i < 4; ++i) DT(i < 2 ? group : group + 8, member * 2 + (i & 1)) = d[i];
#elif KIND == 7
    word a = bytes(&AT(group, member * 4)), b;
    int d[2];
    b = (word)BT(member * 4, group) | (word)BT(member * 4 + 1, group) << 8 | (word)BT(member * 4 + 2, group) << 16 | (word)BT(member * 4 + 3, group) << 24;
    for (int i = 0; i < 2; ++i) d[i] = CT(group, member * 2 + (i & 1));
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+r"(d[0]), "+r"(d[1]) : "r"(a), "r"(b));
    for (int i = 0; i < 2; ++i) DT(group, member * 2 + (i & 1)) = d[i];
#endif
}
