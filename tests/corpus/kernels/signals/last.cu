// Sums in one launch: whichever CTA of a row comes last adds up the parts of all. FORM 0: one thread, as reference;
// 1: the counter is set back by a store; 2: it wraps around; 3: C++ atomics.
// WRONG 1: no fence before the counter; 2: none after it; 3: the one before the last adds up; 4: the last two do;
// 5: the result depends on who is last; 6: the counter is too narrow in scope; 7: the counter is stored.
#if FORM == 3
#include <cuda/atomic>
#endif
#define BLOCK 32

extern "C" __global__ void total(const float *x, float *parts, unsigned *counts, float *y) {
#if FORM == 0
    for (int row = 0; row < ROWS; row++) {
        float sum = 0.0f;
        for (int part = 0; part < PARTS; part++) {
            float add = 0.0f;
            for (int i = 0; i < BLOCK; i++) add += x[(row * PARTS + part) * BLOCK + i];
            parts[row * PARTS + part] = add;
            sum += add;
        }
        y[row] = sum;
        counts[row] = 0;
    }
#else
    __shared__ float sums[BLOCK];
    __shared__ bool last;
    unsigned i = threadIdx.x, part = blockIdx.x, row = blockIdx.y;
    sums[i] = x[(row * PARTS + part) * BLOCK + i];
    __syncthreads();
    for (unsigned far = BLOCK / 2; far > 0; far /= 2) {
        if (i < far) sums[i] += sums[i + far];
        __syncthreads();
    }
    if (i == 0) {
        parts[row * PARTS + part] = sums[0];
#if FORM == 3
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(counts[row]);
        unsigned before = count.fetch_add(1, cuda::memory_order_acq_rel);
#else
#if WRONG != 1
        __threadfence();
#endif
#if FORM == 2
        unsigned before = atomicInc(&counts[row], PARTS - 1);
#elif WRONG == 6
        unsigned before = atomicAdd_block(&counts[row], 1);
#else
        unsigned before = atomicAdd(&counts[row], 1);
#endif
#if WRONG != 2
        __threadfence();
#endif
#endif
#if WRONG == 3
        last = before == PARTS - 2;
#elif WRONG == 4
        last = before >= PARTS - 2;
#else
        last = before == PARTS - 1;
#endif
#if WRONG == 7
        y[ROWS + row * PARTS + part] = before;
#endif
    }
    __syncthreads();
    if (last) {
        sums[i] = i < PARTS ? parts[row * PARTS + i] : 0.0f;
        __syncthreads();
        for (unsigned far = BLOCK / 2; far > 0; far /= 2) {
            if (i < far) sums[i] += sums[i + far];
            __syncthreads();
        }
        if (i == 0) {
#if WRONG == 5
            y[row] = sums[0] + part;
#else
            y[row] = sums[0];
#endif
#if FORM != 2
            counts[row] = 0;
#endif
        }
    }
#endif
}
