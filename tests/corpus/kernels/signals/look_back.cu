// Prefix sums over tiles in one pass: a CTA publishes its total, waits for the prefix of the tile before it and
// publishes its own. PASSES 0: one thread, as reference. WRONG 1: the value is published after its state;
// 2: the tile before the last is skipped; 3: relaxed; 4: waits for the tile behind.
__device__ void publish(unsigned *state) {
#if WRONG == 3
    asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(state) : "memory");
#else
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(state) : "memory");
#endif
}

__device__ void await(unsigned *state) {
    unsigned seen;
    do {
#if WRONG == 3
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(state) : "memory");
#else
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(state) : "memory");
#endif
    } while (seen == 0);
}

extern "C" __global__ void scan(const float *x, float *y, unsigned *states, float *prefixes) {
#if PASSES == 0
    float sum = 0.0f;
    for (int tile = 0; tile < TILES; tile++) {
        for (int i = 0; i < TILE; i++) {
            sum += x[tile * TILE + i];
            y[tile * TILE + i] = sum;
        }
        prefixes[tile] = sum;
        states[tile] = 1;
    }
#else
    __shared__ float sums[TILE];
    __shared__ float before;
    int tile = blockIdx.x, i = threadIdx.x;
    sums[i] = x[tile * TILE + i];
    __syncthreads();
    for (int far = 1; far < TILE; far *= 2) {
        float add = i >= far ? sums[i - far] : 0.0f;
        __syncthreads();
        sums[i] += add;
        __syncthreads();
    }
    if (i == TILE - 1) {
        float prefix = 0.0f;
#if WRONG == 4
        int from = (tile + 1) % TILES;
#else
        int from = tile - 1;
#endif
        if (tile > 0 || WRONG == 4) {
            await(&states[from]);
            prefix = prefixes[WRONG == 2 && tile == TILES - 1 ? from - 1 : from];
        }
        before = prefix;
#if WRONG == 1
        publish(&states[tile]);
        prefixes[tile] = prefix + sums[i];
#else
        prefixes[tile] = prefix + sums[i];
        publish(&states[tile]);
#endif
    }
    __syncthreads();
    y[tile * TILE + i] = before + sums[i];
#endif
}
