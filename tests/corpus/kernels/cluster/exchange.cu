// y = xᵀ of 64 × 64: each thread an element, and a cluster of two CTAs, each of which has 32 columns and writes
// what belongs to the other into that one's shared memory. WRONG 1: no barrier between. 2: the first one is missing: the other may
// still set its memory to zero. 3: both halves go to the own CTA.
// SIGNAL: the other CTA's barrier object counts the writes. WRONG 4: the arrival is one at the own object.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef SIGNAL
#define SIGNAL 0
#endif
typedef unsigned u32;
typedef unsigned long long u64;
constexpr int N = 64, HALF = 32;

extern "C" __global__ void ref(const float *x, float *y) { y[threadIdx.x * N + blockIdx.x] = x[blockIdx.x * N + threadIdx.x]; }

__device__ u32 shared(const void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ u32 in(u32 address, u32 rank) {
    u32 mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}
__device__ u32 rank_of(u32 address) {
    u32 rank;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(address));
    return rank;
}
__device__ void sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) opt(const float *x, float *y) {
    __shared__ float rows[HALF][N + 1];
    __shared__ u64 full;
    u32 rank, t = threadIdx.x;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (SIGNAL && t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 512;\nfence.mbarrier_init.release.cluster;" ::"r"(shared(&full)) : "memory");
    for (int i = t; i < HALF * N; i += 256) rows[i / N][i % N] = 0.0f;
    if (WRONG != 2) sync(); // missing: 2
    // This CTA reads 32 rows of x; row c of the transposed matrix is in CTA c / 32.
    for (int i = t; i < HALF * N; i += 256) {
        int row = rank * HALF + i / N, col = i % N;
        u32 to = WRONG == 3 ? rank : col / HALF; // wrong: 3
        asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(in(shared(&rows[col % HALF][row]), to)), "f"(x[row * N + col]) : "memory");
    }
    if (SIGNAL) {
        for (u32 cta = 0; cta < 2; cta++) {
            u32 to = rank_of(in(shared(&full), cta));
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in(shared(&full), WRONG == 4 ? rank : to)) : "memory"); // wrong: 4
        }
        asm volatile("{.reg .pred p; w%=: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra w%=;}" ::"r"(shared(&full)) : "memory");
    } else if (WRONG != 1) {
        sync(); // missing: 1
    }
    for (int i = t; i < HALF * N; i += 256) y[(rank * HALF + i / N) * N + i % N] = rows[i / N][i % N];
    if (SIGNAL) sync();
}
