// Barrier objects and bulk copies of sm_90, as libraries write them.
typedef unsigned long long u64;
typedef unsigned u32;
__device__ u32 sp(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void init(u64 *b, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sp(b)), "r"(arrivals) : "memory");
}
__device__ void init_done() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void arrive(u64 *b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sp(b)) : "memory");
}
__device__ void expect(u64 *b, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sp(b)), "r"(bytes) : "memory");
}
__device__ void wait(u64 *b, u32 parity) {
    asm volatile("{.reg .pred p; w%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra w%=;}" ::"r"(
                     sp(b)),
                 "r"(parity)
                 : "memory");
}
__device__ void load(void *to, const void *from, u32 bytes, u64 *b) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sp(to)),
        "l"(from), "r"(bytes), "r"(sp(b))
        : "memory");
}
__device__ void store(void *to, const void *from, u32 bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(sp(from)),
                 "r"(bytes)
                 : "memory");
}
__device__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ void wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
template <int N> __device__ void wait_all() {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}
__device__ void fence_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
