// What barriers, barrier objects, masks, scopes and the non-coherent path ask of a kernel: each RULE
// kept, and broken in one place (MUTANT). Each thread writes one element of y.
#define FULL 0xffffffffu

extern "C" __global__ void rules(float *x, float *y) {
#if RULE == 2 || RULE == 5
    __shared__ __align__(8) unsigned long long object;
    unsigned at = (unsigned)__cvta_generic_to_shared(&object);
#endif
#if RULE == 1 || RULE == 2 || RULE == 8
    __shared__ float row[64];
#endif
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
#if RULE == 1 // Both branches hold an aligned barrier; whole warps choose one.
    row[t] = x[t];
#if MUTANT == 1
    if (t % 2 == 0) // wrong: the lanes of a warp part
#else
    if (t < 32)
#endif
        asm volatile("bar.sync 0; // one way" ::: "memory");
    else
        asm volatile("bar.sync 0; // the other" ::: "memory");
    y[i] = row[63 - t];
#elif RULE == 2 // A phase of a barrier object hands row[0] on.
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncthreads();
    if (t == 0) row[0] = x[0];
#if MUTANT == 1
    // wrong: orders nothing
    asm volatile("{ .reg .b64 token; mbarrier.arrive.relaxed.cta.shared.b64 token, [%0]; }" ::"r"(at) : "memory");
#else
    asm volatile("{ .reg .b64 token; mbarrier.arrive.shared.b64 token, [%0]; }" ::"r"(at) : "memory");
#endif
    int ended = 0;
    while (!ended)
#if MUTANT == 2
        // wrong: orders nothing
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                     : "=r"(ended) : "r"(at) : "memory");
#else
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                     : "=r"(ended) : "r"(at) : "memory");
#endif
    y[i] = row[0] + t;
#elif RULE == 3 // Two CTAs add to one word.
#if MUTANT == 1
    // wrong: threads of the other CTA are outside of the scope
    asm volatile("red.relaxed.cta.global.add.f32 [%0], %1;" ::"l"(x), "f"(1.0f) : "memory");
#else
    asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(x), "f"(1.0f) : "memory");
#endif
    y[i] = t;
#elif RULE == 4 // x is read, and written by its reader.
#if MUTANT == 1
    float v = __ldg(x + t); // wrong: for memory that nothing writes
#else
    float v = x[t];
#endif
    x[t] = v + 1.0f;
    y[i] = v;
#elif RULE == 5 // The bytes of a barrier object serve again.
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
#if MUTANT != 1 // missing: mbarrier.inval
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
#endif
        *(volatile unsigned long long *)&object = 7;
    }
    __syncthreads();
    y[i] = x[t] + t;
#elif RULE == 6 // Each half of a warp sums up by itself.
    float v = x[t];
    if (t % 32 < 16)
        v += __shfl_xor_sync(0x0000ffffu, v, 1);
    else
#if MUTANT == 1
        v += __shfl_xor_sync(FULL, v, 1); // wrong: the other half comes with another mask
#elif MUTANT == 2
        v += __shfl_xor_sync(0x0000ffffu, v, 1); // wrong: the lane itself is not in it
#else
        v += __shfl_xor_sync(0xffff0000u, v, 1);
#endif
    y[i] = v;
#elif RULE == 7 // A transposed 8 by 8 matrix, by the whole warp.
    unsigned out;
#if MUTANT == 1
    if (t % 32 == 31) return; // wrong: the whole warp is needed
#endif
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(t));
    y[i] = (float)(out & 0xffff);
#elif RULE == 8 // Lanes exchange words of row; with collectives_order_memory the shuffle orders them.
    row[t] = x[t];
    int other = __shfl_xor_sync(FULL, t, 1);
    y[i] = *(volatile float *)&row[other];
#endif
}
