// Matrix times vector, split along the sum: CTA (tile, slice) adds its part to the row when the slices before it have.
// One semaphore per tile, as split-K and stream-K products have it. SPLIT 0: one CTA per tile, no semaphore.
// WRONG 1: does not wait; 2: waits for any slice; 3: releases in CTA scope; 4: counts one too far; 5: one thread
// releases before the others have written.
#define SLICE 8

__device__ int fetch(int *lock) {
    int state;
    asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(state) : "l"(lock) : "memory");
    return state;
}

__device__ void release(int *lock, int state) {
#if WRONG == 3
    asm volatile("st.global.release.cta.b32 [%0], %1;" ::"l"(lock), "r"(state) : "memory");
#else
    asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(lock), "r"(state) : "memory");
#endif
}

extern "C" __global__ void product(const float *a, const float *b, float *c, int *locks, int slices) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
#if SPLIT == 0
    float sum = 0.0f;
    for (int k = 0; k < slices * SLICE; k++) sum += a[row * slices * SLICE + k] * b[k];
    c[row] = sum;
    if (threadIdx.x == 0) locks[blockIdx.x] = 0;
#else
    int slice = blockIdx.y;
    float sum = 0.0f;
    for (int k = slice * SLICE; k < (slice + 1) * SLICE; k++) sum += a[row * slices * SLICE + k] * b[k];
#if WRONG != 1
    int state = 0;
#if WRONG == 2
    while (__syncthreads_and(slice > 0 && state == 0)) {
#else
    while (__syncthreads_and(state != slice)) {
#endif
        if (threadIdx.x == 0) state = fetch(&locks[blockIdx.x]);
    }
    __syncthreads();
#endif
    c[row] = slice == 0 ? sum : c[row] + sum;
#if WRONG != 5
    __syncthreads();
#endif
    if (threadIdx.x == 0) {
#if WRONG == 4
        release(&locks[blockIdx.x], slice + 2);
#else
        release(&locks[blockIdx.x], slice + 1 == slices ? 0 : slice + 1);
#endif
    }
#endif
}
