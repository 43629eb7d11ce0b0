// y = 2 x through shared memory, tiles fetched ahead with cp.async. 128 threads, TILES tiles of 128
// floats in STAGES buffers. KIND 1: groups; 2: barrier objects, tokens; 3: barrier objects with
// parities, fetched by one warp for the others (warp specialisation); 4: 16-byte copies by a quarter
// of the threads, ragged end filled with zeros. MUTANT marks one mistake each.
typedef unsigned int word;
typedef unsigned long long token;
#ifndef MUTANT
#define MUTANT 0
#endif
#define STAGES 2

__device__ word shared_address(const void *p) { return (word)__cvta_generic_to_shared(p); }
__device__ void fetch4(float *to, const float *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ void fetch16(float *to, const float *from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(bytes) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ void wait_groups() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
__device__ void wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }
__device__ void init(token *b, int count) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count) : "memory"); }
__device__ token arrive(token *b) {
    token t;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(t) : "r"(shared_address(b)) : "memory");
    return t;
}
__device__ void copies_arrive(token *b) { asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(b)) : "memory"); }
__device__ void copies_arrive_counted(token *b) { asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(b)) : "memory"); }
__device__ bool ended(token *b, token t) {
    word done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(shared_address(b)), "l"(t) : "memory");
    return done;
}
__device__ void wait_parity(token *b, word parity) {
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra DONE; nanosleep.u32 20; bra AGAIN; DONE: }" ::"r"(shared_address(b)), "r"(parity) : "memory");
}

extern "C" __global__ void copies(const float *x, float *y, int n) {
    __shared__ __align__(16) float buffer[STAGES][128];
    int t = threadIdx.x;
#if KIND == 1
    fetch4(&buffer[0][t], x + t);
    commit();
    for (int tile = 0; tile < TILES; ++tile) {
        if (tile + 1 < TILES) fetch4(&buffer[(tile + 1) % STAGES][t], x + (tile + 1) * 128 + t);
        commit();
#if MUTANT == 1
        wait_groups<2>(); // wrong: lets the tile itself be under way
#else
        wait_groups<1>();
#endif
#if MUTANT != 2 // missing: others' copies
        __syncthreads();
#endif
        y[tile * 128 + t] = 2.0f * buffer[tile % STAGES][127 - t];
#if MUTANT != 3 // missing: the buffer is fetched anew while others read
        __syncthreads();
#endif
    }
#elif KIND == 2
    __shared__ token full[STAGES];
    if (t < STAGES) init(&full[t], 128);
    __syncthreads();
    token state[STAGES];
    fetch4(&buffer[0][t], x + t);
#if MUTANT != 4 // missing: the barrier object does not wait for the copies
    copies_arrive(&full[0]);
#endif
    state[0] = arrive(&full[0]);
    for (int tile = 0; tile < TILES; ++tile) {
        int stage = tile % STAGES, next = (tile + 1) % STAGES;
        if (tile + 1 < TILES) {
            fetch4(&buffer[next][t], x + (tile + 1) * 128 + t);
            copies_arrive(&full[next]);
            state[next] = arrive(&full[next]);
        }
        while (!ended(&full[stage], state[stage])) {}
        y[tile * 128 + t] = 2.0f * buffer[stage][127 - t];
        __syncthreads();
    }
#elif KIND == 3
    __shared__ token full[STAGES], empty[STAGES];
    if (t < STAGES) {
        init(&full[t], 32);
        init(&empty[t], 96);
    }
    __syncthreads();
    if (t < 32) {
        for (int tile = 0; tile < TILES; ++tile) {
            int stage = tile % STAGES;
#if MUTANT == 5
            wait_parity(&empty[stage], tile / STAGES & 1); // wrong: waits for what only the consumers can do first
#elif MUTANT != 6 // missing: the buffer may still be read
            wait_parity(&empty[stage], (tile / STAGES & 1) ^ 1);
#endif
            for (int i = t; i < 96; i += 32) fetch4(&buffer[stage][i], x + tile * 96 + i);
            copies_arrive_counted(&full[stage]);
        }
    } else {
        int c = t - 32;
        for (int tile = 0; tile < TILES; ++tile) {
            int stage = tile % STAGES;
#if MUTANT != 7 // missing: reads before the copies have ended
            wait_parity(&full[stage], tile / STAGES & 1);
#endif
            y[tile * 96 + c] = 2.0f * buffer[stage][95 - c];
            arrive(&empty[stage]);
        }
    }
#elif KIND == 4
    for (int tile = 0; tile < TILES; ++tile) {
        if (t < 32) {
            int at = tile * 128 + t * 4, left = n - at;
            int bytes = left >= 4 ? 16 : left > 0 ? left * 4 : 0;
#if MUTANT == 8
            bytes = 16; // wrong: reads behind the end
#endif
            fetch16(&buffer[0][t * 4], x + (bytes > 0 ? at : 0), bytes);
            wait_all();
        }
        __syncthreads();
        y[tile * 128 + t] = 2.0f * buffer[0][t];
        __syncthreads();
    }
#endif
}
