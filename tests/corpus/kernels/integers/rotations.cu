// y[t] is made of rotations of x[t], by w[t] too, written with shifts or as the instruction for two words
// (CLEVER). MUTANT puts one fault into the clever kernel. One block, 5 words a thread.

__device__ unsigned left(unsigned x, unsigned by) {
#ifdef CLEVER
    return __funnelshift_l(x, x, by);
#else
    return by & 31 ? x << (by & 31) | x >> (32 - (by & 31)) : x;
#endif
}

extern "C" __global__ void rotations(const unsigned* x, const unsigned* w, unsigned* y) {
    int t = threadIdx.x;
    unsigned a = x[t], by = w[t];
    y[5 * t] = left(a, 13);
#if MUTANT == 1
    by += 1;
#endif
    y[5 * t + 1] = left(a, by);
#ifdef CLEVER
    y[5 * t + 2] = __funnelshift_r(a, a, 32 - by);
#else
    y[5 * t + 2] = left(a, by);
#endif
    // What is between the halves of two words.
#ifdef CLEVER
    y[5 * t + 3] = __funnelshift_lc(a, by, 7);
#else
    y[5 * t + 3] = by << 7 | a >> 25;
#endif
#if MUTANT == 2
    y[5 * t + 4] = left(left(a, 5) ^ by, 10);
#else
    y[5 * t + 4] = left(left(a, 5) ^ by, 11);
#endif
}
