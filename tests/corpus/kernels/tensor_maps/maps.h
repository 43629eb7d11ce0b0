// Copies of boxes of tensors on sm_90, as libraries write them.
#include "../bulk/bulk.h"
struct alignas(64) CUtensorMap {
    char opaque[128];
};
#define LOAD(dim, coordinates, mbar)                                                                            \
    "cp.async.bulk.tensor." dim ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" coordinates \
    "}], [" mbar "];"
#define STORE(dim, coordinates, from) \
    "cp.async.bulk.tensor." dim ".global.shared::cta.tile.bulk_group [%0, {" coordinates "}], [" from "];"
__device__ void load(void *to, const CUtensorMap *m, u64 *b, int x) {
    asm volatile(LOAD("1d", "%2", "%3")::"r"(sp(to)), "l"(m), "r"(x), "r"(sp(b)) : "memory");
}
__device__ void load(void *to, const CUtensorMap *m, u64 *b, int x, int y) {
    asm volatile(LOAD("2d", "%2, %3", "%4")::"r"(sp(to)), "l"(m), "r"(x), "r"(y), "r"(sp(b)) : "memory");
}
__device__ void load(void *to, const CUtensorMap *m, u64 *b, int x, int y, int z) {
    asm volatile(LOAD("3d", "%2, %3, %4", "%5")::"r"(sp(to)), "l"(m), "r"(x), "r"(y), "r"(z), "r"(sp(b))
                 : "memory");
}
__device__ void load(void *to, const CUtensorMap *m, u64 *b, int x, int y, int z, int u) {
    asm volatile(LOAD("4d", "%2, %3, %4, %5", "%6")::"r"(sp(to)), "l"(m), "r"(x), "r"(y), "r"(z), "r"(u),
                 "r"(sp(b))
                 : "memory");
}
__device__ void load(void *to, const CUtensorMap *m, u64 *b, int x, int y, int z, int u, int v) {
    asm volatile(LOAD("5d", "%2, %3, %4, %5, %6", "%7")::"r"(sp(to)), "l"(m), "r"(x), "r"(y), "r"(z), "r"(u),
                 "r"(v), "r"(sp(b))
                 : "memory");
}
__device__ void store(const CUtensorMap *m, const void *from, int x) {
    asm volatile(STORE("1d", "%1", "%2")::"l"(m), "r"(x), "r"(sp(from)) : "memory");
}
__device__ void store(const CUtensorMap *m, const void *from, int x, int y) {
    asm volatile(STORE("2d", "%1, %2", "%3")::"l"(m), "r"(x), "r"(y), "r"(sp(from)) : "memory");
}
__device__ void store(const CUtensorMap *m, const void *from, int x, int y, int z) {
    asm volatile(STORE("3d", "%1, %2, %3", "%4")::"l"(m), "r"(x), "r"(y), "r"(z), "r"(sp(from)) : "memory");
}
__device__ void add(const CUtensorMap *m, const void *from, int x, int y) {
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(m),
                 "r"(x), "r"(y), "r"(sp(from))
                 : "memory");
}
