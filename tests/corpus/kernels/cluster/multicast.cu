// y = x + x of the other half: each CTA of a cluster of two fetches half of x for both by one bulk copy, and counts the bytes of
// both halves. ACROSS: each fetches its half for itself and sends it on to the other. WRONG 1: only the own half is expected.
// 2: the copy goes to the own CTA only. 3: the other CTA's barrier object may not have been made.
#include "../bulk/bulk.h"
#ifndef WRONG
#define WRONG 0
#endif
#ifndef ACROSS
#define ACROSS 0
#endif
constexpr int HALF = 64;

extern "C" __global__ void ref(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x ^ HALF]; }

__device__ u32 in(u32 address, u32 rank) {
    u32 mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}
__device__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) opt(const float *x, float *y) {
    __shared__ alignas(16) float halves[2][HALF];
    __shared__ u64 full, own;
    u32 rank, t = threadIdx.x;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (t == 0) {
        init(&full, 1);
        init(&own, 1);
        init_done();
        expect(&full, WRONG == 1 ? sizeof halves[0] : ACROSS ? sizeof halves[0] : sizeof halves); // wrong: 1
    }
    if (WRONG == 3) __syncthreads(); else meet(); // wrong: 3
    if (t == 0) {
        if (ACROSS) {
            expect(&own, sizeof halves[0]);
            load(halves[rank], x + rank * HALF, sizeof halves[0], &own);
            wait(&own, 0);
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(in(sp(halves[rank]), rank ^ 1)),
                         "r"(sp(halves[rank])), "r"((u32)sizeof halves[0]), "r"(in(sp(&full), rank ^ 1))
                         : "memory");
        } else {
            unsigned short to = WRONG == 2 ? 1 << rank : 3; // wrong: 2
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(sp(halves[rank])),
                         "l"(x + rank * HALF), "r"((u32)sizeof halves[0]), "r"(sp(&full)), "h"(to)
                         : "memory");
        }
    }
    wait(&full, 0);
    if (ACROSS) wait(&own, 0);
    y[rank * HALF + t] = halves[rank][t] + halves[rank ^ 1][t];
    meet();
}
