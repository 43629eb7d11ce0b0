// Sixteen elements of FOUR or six bits in rows of sixteen bytes, loaded as bytes by a warp; the bytes after the elements
// are never written. Four matrices of eight rows. WRONG 1: the rows of the second and the third matrix change places.
// 2: rows packed without the gaps.
#ifndef WRONG
#define WRONG 0
#endif
typedef unsigned char byte;
typedef unsigned u32;
#ifdef FOUR
constexpr int BITS = 4;
#define FROM "b4x16_p64"
#else
constexpr int BITS = 6;
#define FROM "b6x16_p32"
#endif
constexpr int ROW = 2 * BITS; // bytes of sixteen elements

extern "C" __global__ void ref(const byte *x, byte *y) {
    const byte *row = x + threadIdx.x * ROW;
    for (int i = 0; i < 16; i++) {
        u32 both = row[i * BITS / 8];
        if (i * BITS % 8 + BITS > 8) both |= row[i * BITS / 8 + 1] << 8;
        y[threadIdx.x * 16 + i] = both >> i * BITS % 8 & ((1 << BITS) - 1);
    }
}

extern "C" __global__ void opt(const byte *x, byte *y) {
    __shared__ alignas(16) byte rows[32 * 16];
    int lane = threadIdx.x;
    for (int i = 0; i < ROW; i++) rows[WRONG == 2 ? lane * ROW + i : lane * 16 + i] = x[lane * ROW + i];
    __syncwarp();
    u32 r[4], from = (u32)__cvta_generic_to_shared(rows + (WRONG == 1 && lane / 8 % 3 ? lane ^ 24 : lane) * 16);
    asm volatile("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16." FROM " {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from) : "memory");
    for (int i = 0; i < 4; i++) ((u32 *)y)[(i * 8 + lane / 4) * 4 + lane % 4] = r[i];
}
