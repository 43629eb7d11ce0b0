// y[i] = x[i] of the other CTA, and how much its 64 numbers add up to: registers are sent to the other CTA, which a barrier
// object there counts. WRONG 1: the object expects half of the bytes. 2: nobody waits for it. 3: they go to the own CTA.
// 4: the other CTA may not have made its object. 5: the sum is not expected.
#ifndef WRONG
#define WRONG 0
#endif
typedef unsigned u32;

extern "C" __global__ void ref(const u32 *x, u32 *y, u32 *sum) {
    int t = threadIdx.x;
    y[t] = x[t ^ 64];
    if (t < 2) {
        u32 all = 0;
        for (int i = 0; i < 64; i++) all += x[64 * (1 - t) + i];
        sum[t] = all;
    }
}

__device__ u32 shared(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ u32 at(u32 address, u32 rank) {
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) opt(const u32 *x, u32 *y, u32 *sum) {
    __shared__ alignas(8) u32 got[64];
    __shared__ u32 all;
    __shared__ alignas(8) unsigned long long bar;
    u32 t = threadIdx.x, rank = blockIdx.x % 2, other = WRONG == 3 ? rank : rank ^ 1;
    if (t == 0) {
        all = 0;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&bar)) : "memory");
        // wrong: 1, 5
        u32 bytes = WRONG == 1 ? 128 : WRONG == 5 ? 256 : 256 + 128;
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&bar)), "r"(bytes) : "memory");
    }
    if (WRONG == 4) __syncthreads(); else cluster_sync(); // wrong: 4
    if (t < 32) {
        u32 a = x[rank * 64 + 2 * t], b = x[rank * 64 + 2 * t + 1];
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%0], {%1, %2}, [%3];" ::"r"(
                         at(shared(&got[2 * t]), other)), "r"(a), "r"(b), "r"(at(shared(&bar), other)) : "memory");
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                         at(shared(&all), other)), "r"(a + b), "r"(at(shared(&bar), other)) : "memory");
    }
    if (WRONG != 2) // wrong: 2
        asm volatile("{\n\t.reg .pred p;\nWAIT:\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n\t@!p bra WAIT;\n\t}"
                     ::"r"(shared(&bar)) : "memory");
    y[rank * 64 + t] = got[t];
    if (t == 0) sum[rank] = all;
    cluster_sync();
}
