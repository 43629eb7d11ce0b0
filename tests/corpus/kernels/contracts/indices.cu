// Where each of 64 threads (two blocks of 32) puts its element, in five ways. FORM chooses; WRONG is the mistake.
extern "C" __global__ void scatter(const float *x, float *y, int n)
{
    asm volatile("// warpproof: config blockDim.x * gridDim.x == 64 and n == 64");
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if FORM == 0
    // 5 and 64 have no common divisor, 6 and 64 have.
    int at = (i * (WRONG ? 6 : 5) + 3) % 64;
#elif FORM == 1
    // An 8 by 8 transpose; wrong: rows of 7.
    int at = i % 8 * (WRONG ? 7 : 8) + i / 8;
#elif FORM == 2
    // Swizzle: exclusive or is one to one, or is not.
    int at = WRONG ? (i | i >> 3) : (i ^ i >> 3);
#elif FORM == 3
    // Backwards; wrong: one behind the end.
    int at = n - i - (WRONG ? 0 : 1);
#else
    // Wrong: the block is forgotten.
    int at = WRONG ? (int)threadIdx.x : i;
#endif
    asm volatile("// warpproof: assert 0 <= %0 and %0 < n" :: "r"(at));
    asm volatile("// warpproof: assert %0 != other(%0)" :: "r"(at));
    y[at] = x[i];
}
