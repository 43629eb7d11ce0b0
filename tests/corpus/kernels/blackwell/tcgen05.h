// What tensor memory and its products need (PTX ISA 9.0, 9.7.16).
#pragma once
typedef unsigned long long u64;
typedef unsigned u32;

namespace tm {
__device__ inline u32 shared(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ inline void take(u32 *to, u32 columns) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared(to)), "r"(columns) : "memory");
}
__device__ inline void give(u32 from, u32 columns) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(from), "r"(columns));
}
__device__ inline void relinquish() { asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;"); }
__device__ inline void before() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
__device__ inline void after() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }
__device__ inline void wait_loads() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }
__device__ inline void wait_stores() { asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory"); }
__device__ inline void commit(u64 *object) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared(object)) : "memory");
}

// Address, leading and stride offsets in bytes; bytes of a swizzled row, or 16.
__device__ inline u64 describe(u32 address, u32 leading, u32 stride, int span) {
    u64 mode = span == 128 ? 2 : span == 64 ? 4 : span == 32 ? 6 : 0;
    return (u64)((address & 0x3ffff) >> 4) | (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32 | 1ull << 46 | mode << 61;
}

// The instruction descriptor: types of D, A and B as the manual counts them, and the shape.
__device__ constexpr u32 shape(int d, int a, int b, int m, int n, int turned_a = 0, int turned_b = 0) {
    return d << 4 | a << 7 | b << 10 | turned_a << 15 | turned_b << 16 | n / 8 << 17 | m / 16 << 24;
}

// Byte offset of a byte in rows of `span` bytes, of which the lines of 16 change places.
__device__ inline int swizzled(int row, int byte, int span) {
    int line = byte / 16 ^ (row * span / 128 & (span / 16 - 1));
    return row * span + line * 16 + byte % 16;
}

#define MULTIPLY(name, kind)                                                                                           \
    __device__ inline void name(u32 d, u64 a, u64 b, u32 shape, int adds) {                                            \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"                                                         \
                     "tcgen05.mma.cta_group::1.kind::" kind " [%0], %1, %2, %3, p; }" ::"r"(d), "l"(a), "l"(b),        \
                     "r"(shape), "r"(adds)                                                                             \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    __device__ inline void name##_held(u32 d, u32 a, u64 b, u32 shape, int adds) {                                     \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"                                                         \
                     "tcgen05.mma.cta_group::1.kind::" kind " [%0], [%1], %2, %3, p; }" ::"r"(d), "r"(a), "l"(b),      \
                     "r"(shape), "r"(adds)                                                                             \
                     : "memory");                                                                                      \
    }
MULTIPLY(multiply_f16, "f16")
MULTIPLY(multiply_tf32, "tf32")
MULTIPLY(multiply_f8, "f8f6f4")
MULTIPLY(multiply_i8, "i8")

#define R4(r, i) "=r"(r[i]), "=r"(r[i + 1]), "=r"(r[i + 2]), "=r"(r[i + 3])
#define R16(r, i) R4(r, i), R4(r, i + 4), R4(r, i + 8), R4(r, i + 12)
#define REGISTERS32                                                                                                    \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"
// 32 registers of each lane.
#define LOAD32(shape, r, from)                                                                                         \
    asm volatile("tcgen05.ld.sync.aligned." shape ".b32 " REGISTERS32 ", [%32];" : R16(r, 0), R16(r, 16) : "r"(from) : "memory")
} // namespace tm
