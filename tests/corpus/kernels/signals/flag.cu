// A row is scaled by one CTA and summed by another, which waits for a flag. FORM 0: fences and volatile accesses;
// 1: release and acquire; 2: C++ atomics; 3: one CTA does both. FIRST: the CTA that writes.
// WRONG 1: no fence before the flag; 2: none after it; 3: the flag is of CTA scope; 4: nobody sets it;
// 5: the flag goes first.
#if FORM == 2
#include <cuda/atomic>
#endif

__device__ void set(int *flag) {
#if FORM == 0
#if WRONG != 1
    __threadfence();
#endif
    *(volatile int *)flag = 1;
#elif FORM == 1
#if WRONG == 3
    asm volatile("st.release.cta.global.s32 [%0], 1;" ::"l"(flag) : "memory");
#else
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
#endif
#elif FORM == 2
    cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).store(
        1, WRONG == 1 ? cuda::memory_order_relaxed : cuda::memory_order_release);
#endif
}

__device__ void wait(int *flag) {
#if FORM == 0
    while (*(volatile int *)flag == 0) {
    }
#if WRONG != 2
    __threadfence();
#endif
#elif FORM == 1
    int seen;
    do {
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (seen == 0);
#elif FORM == 2
    cuda::atomic_ref<int, cuda::thread_scope_device> word(*flag);
    while (word.load(WRONG == 2 ? cuda::memory_order_relaxed : cuda::memory_order_acquire) == 0) {
    }
#endif
}

__device__ void scale(const float *x, float *row) { row[threadIdx.x] = 3.0f * x[threadIdx.x]; }

__device__ void add(const float *row, float *y) {
    float sum = 0.0f;
    for (int i = 0; i < blockDim.x; i++) sum += row[i];
    y[threadIdx.x] = sum - row[threadIdx.x];
}

extern "C" __global__ void flag(const float *x, float *row, int *ready, float *y) {
#if FORM == 3
    scale(x, row);
    __syncthreads();
    add(row, y);
    if (threadIdx.x == 0) *ready = 1;
#else
    if (blockIdx.x == FIRST) {
#if WRONG == 5
        if (threadIdx.x == 0) set(ready);
#endif
        scale(x, row);
        __syncthreads();
#if WRONG == 0 || WRONG == 1 || WRONG == 2 || WRONG == 3
        if (threadIdx.x == 0) set(ready);
#endif
    } else {
        if (threadIdx.x == 0) wait(ready);
        __syncthreads();
        add(row, y);
    }
#endif
}
