// Small programs for one block of 32 threads, with what their author claims. FORM chooses; WRONG is the mistake.
extern "C" __global__ void program(const float *x, float *y, int *count)
{
    int i = threadIdx.x;
#if FORM == 0
    // How many are positive; wrong: without an atomic.
    if (x[i] > 0) {
#if WRONG
        count[0] = count[0] + 1;
#else
        atomicAdd(count, 1);
#endif
    }
    y[i] = x[i];
#elif FORM == 1
    // Differences of neighbours, none for the last one; wrong: the neighbour of the last is asked for, too.
    int next = WRONG ? i + 1 : min(i + 1, 31);
    asm volatile("// warpproof: assert 0 <= %0 and %0 < 32" :: "r"(next));
    y[i] = x[next] - x[i];
#elif FORM == 2
    // A tree of sums: only threads below the half add, and none reads what another one writes; wrong: `<=`.
    __shared__ float sum[64];
    sum[i] = x[i];
    sum[i + 32] = 0;
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (WRONG ? i <= half : i < half) {
            asm volatile("// warpproof: invariant %0 < %1" :: "r"(i), "r"(half));
            sum[i] += sum[i + half];
        }
        __syncthreads();
    }
    if (i == 0)
        y[0] = sum[0];
#else
    // A ring of four slots that two warps of 16 threads fill in turn; wrong: both take the same slot.
    int slot = i % 4 + (WRONG ? 0 : 4 * (i / 16));
    int round = i % 16 / 4;
    asm volatile("// warpproof: assert %0 != other_in_block(%0) or %1 != other_in_block(%1)" :: "r"(slot), "r"(round));
    y[slot + 8 * round] = x[i];
#endif
}
