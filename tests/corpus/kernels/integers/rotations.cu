// y[t] is made of rotations of x[t], by w[t] too, written with shifts or as the instruction for two words
// (CLEVER). MUTANT puts one fault into the clever kernel. One block of 32 threads, 5 words each.

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
    // A step of MurmurHash3, too large to be looked at bit by bit.
    unsigned h = a * 0xcc9e2d51u;
#if MUTANT == 2
    h = left(h, 14);
#elif defined(CLEVER)
    h = left(h, 15);
#else
    h = h << 15 | h >> 17;
#endif
    y[5 * t + 4] = h * 0x1b873593u + 5;
}
