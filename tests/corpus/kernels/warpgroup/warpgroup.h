// What products of a warpgroup need (PTX ISA 9.0, 9.7.15).
#pragma once
typedef unsigned long long u64;
typedef unsigned u32;

namespace wg {
__device__ inline u32 shared(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ inline void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT> __device__ inline void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory"); }
__device__ inline void fence_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Address, leading and stride offsets in bytes; bytes of a swizzled row, or 16.
__device__ inline u64 describe(u32 address, u32 leading, u32 stride, int span) {
    u64 mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
    return (u64)((address & 0x3ffff) >> 4) | (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32 | mode << 62;
}

// Byte offset of an element of two bytes in rows of `span` bytes, of which the lines of 16 change places.
__device__ inline int swizzled(int row, int byte, int span) {
    int line = byte / 16 ^ (row * span / 128 & (span / 16 - 1));
    return row * span + line * 16 + byte % 16;
}
} // namespace wg
