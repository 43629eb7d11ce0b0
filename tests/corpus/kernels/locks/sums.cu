// Sums split over CTAs: CTA (tile, slice) adds its part to the tile's row of sums while it holds the tile's lock.
// FORM 0: one CTA per tile, no lock; 1: compare-and-swap, fences, thread 0 for its CTA; 2: acquire and release, by
// themselves; 3: exchange, with a pause; 4: looks before it tries; 5: freed by an update, taken by `or`.
// WRONG 1: no fence behind the try; 2: none before the lock is freed; 3: of CTA scope; 4: never freed; 5: freed by a
// plain store; 6: freed before the other threads have written; 7: read before the lock is taken; 8: slices of a tile
// have locks of their own; 9: gives up if the lock is held; 10: taken twice; 11: twice what is there; 12: the last
// one's sum; 13: what was there goes elsewhere; 14: read in one section, written in the next; 15: freed by those who
// do not hold it; 16: freed once more.
#ifndef WRONG
#define WRONG 0
#endif
#if WRONG == 3
#define SCOPE "cta"
#else
#define SCOPE "gpu"
#endif

__device__ bool tries(int *lock) {
    int found;
#if FORM == 2
    asm volatile("atom.acquire." SCOPE ".global.cas.b32 %0, [%1], 0, 1;" : "=r"(found) : "l"(lock) : "memory");
#elif FORM == 3
    found = atomicExch(lock, 1);
#elif FORM == 5
    asm volatile("atom.acquire.gpu.global.or.b32 %0, [%1], 1;" : "=r"(found) : "l"(lock) : "memory");
#else
    found = atomicCAS(lock, 0, 1);
#endif
    return found == 0;
}

__device__ void take(int *lock) {
#if FORM == 3
    while (!tries(lock)) __nanosleep(20);
#elif FORM == 4
    do {
        while (*(volatile int *)lock != 0) {
        }
    } while (!tries(lock));
#else
    while (!tries(lock)) {
    }
#endif
#if FORM != 2 && FORM != 5 && WRONG != 1
    __threadfence();
#endif
}

__device__ void set_free(int *lock) {
#if WRONG == 4
    return;
#endif
#if FORM == 2
    asm volatile("st.release." SCOPE ".global.b32 [%0], 0;" ::"l"(lock) : "memory");
#elif FORM == 5
    asm volatile("red.release.gpu.global.and.b32 [%0], 0;" ::"l"(lock) : "memory");
#else
#if WRONG != 2
    __threadfence();
#endif
#if WRONG == 5
    *lock = 0;
#else
    atomicExch(lock, 0);
#endif
#endif
}

extern "C" __global__ void sums(const float *a, float *c, int *locks, float *more, int slices) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
#if FORM == 0
    float sum = c[row];
    for (int slice = 0; slice < slices; slice++) sum += a[slice * gridDim.x * blockDim.x + row];
    c[row] = sum;
    if (threadIdx.x == 0) locks[blockIdx.x] = 0;
#else
    int slice = blockIdx.y;
    float part = a[slice * gridDim.x * blockDim.x + row];
#if WRONG == 8
    int *lock = locks + blockIdx.x + slice % 2 * gridDim.x;
#else
    int *lock = locks + blockIdx.x;
#endif
#if WRONG == 7
    float before = c[row];
#endif
#if WRONG == 9
    if (threadIdx.x == 0 && !tries(lock)) more[0] = 1.0f;
#else
    if (threadIdx.x == 0) take(lock);
#endif
#if WRONG == 10
    if (threadIdx.x == 0) take(lock);
#endif
    __syncthreads();
#if WRONG == 7
    c[row] = before + part;
#elif WRONG == 11
    c[row] = 2.0f * c[row] + part;
#elif WRONG == 12
    c[row] = part;
#elif WRONG == 13
    more[slice * gridDim.x * blockDim.x + row] = c[row];
    c[row] += part;
#elif WRONG == 14
    float before = c[row];
    __syncthreads();
    if (threadIdx.x == 0) set_free(lock);
    if (threadIdx.x == 0) take(lock);
    __syncthreads();
    c[row] = before + part;
#else
    c[row] += part;
#endif
#if WRONG != 6
    __syncthreads();
#endif
#if WRONG == 15
    if (threadIdx.x == 0 && slice > 0) set_free(locks + 1 - blockIdx.x);
    if (threadIdx.x == 0 && slice == 0) set_free(lock);
#else
    if (threadIdx.x == 0) set_free(lock);
#endif
#if WRONG == 16
    if (threadIdx.x == 0) set_free(lock);
#endif
#endif
}
