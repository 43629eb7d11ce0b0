// Three steps of a heat equation on a ring; between two steps all CTAs meet. FORM 0: a counter that only grows;
// 1: release by a reduction, acquire by a load; 2: one CTA, whose threads meet.
// WRONG 1: no fence; 2: one step without a barrier; 3: waits for one CTA too few; 4: for one too many; 5: a thread
// counts before its CTA has written.
#define STEPS 3

__device__ void meet(unsigned *arrived, unsigned step) {
#if FORM == 2
    __syncthreads();
#else
#if WRONG != 5
    __syncthreads();
#endif
    if (threadIdx.x == 0) {
        unsigned all = gridDim.x * (step + 1);
#if WRONG == 3
        all--;
#elif WRONG == 4
        all++;
#endif
#if FORM == 0
#if WRONG != 1
        __threadfence();
#endif
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < all) {
        }
#if WRONG != 1
        __threadfence();
#endif
#else
        unsigned seen;
#if WRONG == 1
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
#else
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
#endif
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
        } while (seen < all);
#endif
    }
    __syncthreads();
#endif
}

extern "C" __global__ void heat(float *from, float *to, unsigned *arrived) {
    unsigned n = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned step = 0; step < STEPS; step++) {
        float left = from[(i + n - 1) % n], right = from[(i + 1) % n];
        to[i] = 0.5f * from[i] + 0.25f * (left + right);
#if WRONG == 2
        if (step != 1) meet(arrived, step);
#else
        meet(arrived, step);
#endif
        float *other = from;
        from = to;
        to = other;
    }
#if FORM == 2
    if (i == 0) *arrived = STEPS * PARTS;
#endif
}
