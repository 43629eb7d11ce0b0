// Words go through tensor memory: stored with one shape, loaded with another (PTX ISA 9.0, 9.7.16.2.3.1).
// A warp's 32 lanes have eight columns each. SHAPE 1: 16x64b. 2: 16x128b. 3: 16x256b. 4: 16x32bx2. 5: 32x32b in halves.
// BACK: stored with that shape, loaded with 32x32b. WRONG 1: no wait::st. 2: the second sixteen lanes are the first.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef BACK
#define BACK 0
#endif
#include "tcgen05.h"
using namespace tm;

// Where register `number` of a thread lies in its sixteen lanes, by the manual's figures.
__device__ inline int row_of(int lane, int number) {
    if (SHAPE == 1) return lane / 4 + lane % 2 * 8;
    if (SHAPE == 2) return lane / 4 + number % 2 * 8;
    if (SHAPE == 3) return lane / 4 + number / 2 * 8;
    return lane % 16;
}
__device__ inline int column_of(int lane, int number) {
    if (SHAPE == 1) return number * 2 + lane / 2 % 2;
    if (SHAPE == 2) return number / 2 * 4 + lane % 4;
    if (SHAPE == 3) return lane % 4 * 2 + number % 2;
    return number + lane / 16 * 4;
}

extern "C" __global__ void ref(const u32 *x, u32 *y) {
    int t = threadIdx.x;
#if SHAPE == 5
    for (int i = 0; i < 4; i++)
        y[t * 4 + i] = BACK ? x[t * 4 + i] : x[t * 8 + i * 2] & 0xffff | x[t * 8 + i * 2 + 1] << 16;
#else
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < 4; i++) {
            int place = (t / 32 * 32 + half * 16 + row_of(t % 32, i)) * 8 + column_of(t % 32, i), own = t * 8 + half * 4 + i;
            if (BACK) y[place] = x[own]; else y[own] = x[place];
        }
#endif
}

#define FOUR "{%0,%1,%2,%3}"
#if SHAPE == 1
#define NAME "16x64b.x4"
#elif SHAPE == 2
#define NAME "16x128b.x2"
#elif SHAPE == 3
#define NAME "16x256b.x1"
#else
#define NAME "16x32bx2.x4"
#endif
__device__ inline void load(u32 *r, u32 from) {
#if SHAPE == 5
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32 " FOUR ", [%4];" : R4(r, 0) : "r"(from) : "memory");
#elif SHAPE == 4
    asm volatile("tcgen05.ld.sync.aligned." NAME ".b32 " FOUR ", [%4], 4;" : R4(r, 0) : "r"(from) : "memory");
#else
    asm volatile("tcgen05.ld.sync.aligned." NAME ".b32 " FOUR ", [%4];" : R4(r, 0) : "r"(from) : "memory");
#endif
}
__device__ inline void store(u32 to, const u32 *r) {
#if SHAPE == 5
    asm volatile("tcgen05.st.sync.aligned.32x32b.x4.unpack::16b.b32 [%4], " FOUR ";" ::"r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(to) : "memory");
#elif SHAPE == 4
    asm volatile("tcgen05.st.sync.aligned." NAME ".b32 [%4], 4, " FOUR ";" ::"r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(to) : "memory");
#else
    asm volatile("tcgen05.st.sync.aligned." NAME ".b32 [%4], " FOUR ";" ::"r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(to) : "memory");
#endif
}

extern "C" __global__ void __launch_bounds__(128) opt(const u32 *x, u32 *y) {
    __shared__ u32 slot;
    int t = threadIdx.x, warp = t / 32;
    if (warp == 0) take(&slot, 32);
    __syncthreads();
    u32 at = slot + (warp * 32 << 16), r[8];
    constexpr int HALVES = SHAPE == 5 ? 1 : 2, WORDS = SHAPE == 5 && BACK ? 4 : 8, LOADED = SHAPE == 5 ? 4 : 8;
    for (int i = 0; i < WORDS; i++) r[i] = x[t * WORDS + i];
    if (BACK)
        for (int half = 0; half < HALVES; half++) store(at + (half * 16 << 16), r + half * 4);
    else
        asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%8], {%0,%1,%2,%3,%4,%5,%6,%7};" ::"r"(r[0]), "r"(r[1]),
                     "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(at) : "memory");
    if (WRONG != 1) wait_stores();
    if (BACK && SHAPE != 5)
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];" : R4(r, 0), R4(r, 4) : "r"(at) : "memory");
    else
        for (int half = 0; half < HALVES; half++) load(r + half * 4, at + ((WRONG == 2 ? 0 : half) * 16 << 16));
    wait_loads();
    for (int i = 0; i < LOADED; i++) y[t * LOADED + i] = r[i];
    __syncthreads();
    if (warp == 0) give(slot, 32);
}
