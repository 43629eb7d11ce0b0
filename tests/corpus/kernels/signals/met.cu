// A row is turned around in pieces by several blocks: each block writes its piece, all wait for all, and each reads
// the piece of another one. They wait by polling a counter with an update that adds nothing.
// FENCE: 0 the thread that counts fences, behind the barrier; 1 every thread fences on its side of the barrier, and
// again before it reads; 2 as 1, with fences that only acquire and release; 3 as 1, for the block alone.
// WRONG: 1 no fence before the count; 2 the count comes first; 3 one block more is waited for; 4 one fewer.
extern "C" __global__ void turn(const float* x, float* row, int* count, float* y) {
    int t = threadIdx.x, b = blockIdx.x, parts = gridDim.x, n = blockDim.x;
    if (WRONG == 2 && t == 0) {
        __threadfence();
        atomicAdd(count, 1);
    }
    row[b * n + t] = 2.0f * x[b * n + t];
#if FENCE == 1
    __threadfence();
#elif FENCE == 2
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
#elif FENCE == 3
    __threadfence_block();
#endif
    __syncthreads();
    if (t == 0) {
        if (FENCE == 0 && WRONG != 1) __threadfence();
        if (WRONG != 2) atomicAdd(count, 1);
        int all = parts + (WRONG == 3) - (WRONG == 4);
        while (atomicAdd(count, 0) < all) {}
        if (FENCE == 0) __threadfence();
    }
    __syncthreads();
#if FENCE == 1
    __threadfence();
#elif FENCE == 2
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
#elif FENCE == 3
    __threadfence_block();
#endif
    y[b * n + t] = row[(parts - 1 - b) * n + (n - 1 - t)];
}
