// The barrier over a grid of cooperative groups: a word to which all add so that its highest bit flips when all have;
// whoever waits compares that bit with what it found. WRONG 1: the first CTA adds one too little; 2: waits for the
// wrong bit; 3: no fence.
#define STEPS 3

__device__ void meet(volatile unsigned *arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned add = 1;
#if WRONG == 1
        if (blockIdx.x == 0) add = 0x80000000u - gridDim.x;
#else
        if (blockIdx.x == 0) add = 0x80000000u - (gridDim.x - 1);
#endif
#if WRONG != 3
        __threadfence();
#endif
        unsigned before = atomicAdd((unsigned *)arrived, add);
#if WRONG == 2
        while (((before ^ *arrived) & 1u) == 0) {
#else
        while (((before ^ *arrived) & 0x80000000u) == 0) {
#endif
        }
#if WRONG != 3
        __threadfence();
#endif
    }
    __syncthreads();
}

extern "C" __global__ void heat(float *from, float *to, unsigned *arrived) {
    unsigned n = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned step = 0; step < STEPS; step++) {
        float left = from[(i + n - 1) % n], right = from[(i + 1) % n];
        to[i] = 0.5f * from[i] + 0.25f * (left + right);
        meet(arrived);
        float *other = from;
        from = to;
        to = other;
    }
}
