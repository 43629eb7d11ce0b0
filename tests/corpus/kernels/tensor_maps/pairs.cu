// y = x + x of the other half, in a cluster of two (Blackwell): each block's box goes to where it is needed, and the first block's
// barrier object counts all of them, as its address without bit 24 is in both blocks the first one's (CUTLASS). It tells the other
// when they have come. KIND 1: each box goes to both.
// WRONG 1: each counts its own bytes. 2: half of the bytes are expected. 3: the second block is not told.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef KIND
#define KIND 0
#endif
#include "maps.h"
constexpr int HALF = 64;

extern "C" __global__ void ref(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x ^ HALF]; }

__device__ u32 in(u32 address, u32 rank) {
    u32 mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}
__device__ float read(u32 address) {
    float value;
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address));
    return value;
}
__device__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) opt(const __grid_constant__ CUtensorMap x, float *y) {
    __shared__ alignas(128) float halves[KIND ? 2 : 1][HALF];
    __shared__ u64 full, told;
    u32 rank, t = threadIdx.x;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (t == 0) {
        init(&full, 1);
        init(&told, 1);
        init_done();
        constexpr int all = (KIND ? 4 : 2) * sizeof halves[0];
        if (rank == 0) expect(&full, WRONG == 2 ? all / 2 : all); // wrong: 2
    }
    meet();
    if (t == 0) {
        u32 counter = WRONG == 1 ? sp(&full) : sp(&full) & 0xfeffffff; // wrong: 1
        if (KIND)
            asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 "
                         "[%0], [%1, {%2}], [%3], %4;" ::"r"(sp(halves[rank])), "l"(&x), "r"(rank * HALF), "r"(counter), "h"((unsigned short)3)
                         : "memory");
        else
            asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, "
                         "{%2}], [%3];" ::"r"(sp(halves[0])), "l"(&x), "r"(rank * HALF), "r"(counter)
                         : "memory");
    }
    if (rank == 0) {
        wait(&full, 0);
        if (t == 0 && WRONG != 3) // missing: 3
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in(sp(&told), 1)) : "memory");
    } else if (WRONG != 3) wait(&told, 0); // missing: 3
    float other = KIND ? halves[rank ^ 1][t] : read(in(sp(&halves[0][t]), rank ^ 1));
    y[rank * HALF + t] = halves[KIND ? rank : 0][t] + other;
    meet();
}
