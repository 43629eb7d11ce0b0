// A row of n elements in steps of the block, and a counter of positive ones. WRONG 1: the last step leaves the row.
// WRONG 2: the counter counts zeros, too.
extern "C" __global__ void strided(const float *x, float *y, int *count, int n)
{
    asm volatile("// warpproof: requires n >= blockDim.x");
    int seen = 0;
    for (int i = threadIdx.x; WRONG == 1 ? i <= n : i < n; i += blockDim.x) {
        asm volatile("// warpproof: invariant 0 <= %0 and %0 < n and %0 %% blockDim.x == threadIdx.x" :: "r"(i));
        float v = x[i];
        asm volatile("// warpproof: assert %0 * %0 >= 0" :: "f"(v));
        seen += WRONG == 2 ? v >= 0 : v > 0;
        y[i] = v > 0 ? v : 0;
    }
    asm volatile("// warpproof: assert 0 <= %0 and %0 <= (n + blockDim.x - 1) // blockDim.x" :: "r"(seen));
    count[threadIdx.x] = seen;
}
