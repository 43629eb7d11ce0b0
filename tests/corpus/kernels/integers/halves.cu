// The upper half of a product of two words: by the instruction, or from products of halves with their carries.
// Launched as <<<1, 4>>>.
#ifndef FORM
#define FORM 0
#endif
#ifndef WRONG
#define WRONG 0
#endif

extern "C" __global__ void halves(const unsigned* a, const unsigned* b, const unsigned long long* c,
                                  const unsigned long long* d, unsigned* y, unsigned long long* z) {
    unsigned i = threadIdx.x, x = a[i], w = b[i];
    unsigned long long u = c[i], v = d[i];
#if FORM == 0
    y[i] = __umulhi(x, w);
    z[i] = __umul64hi(u, v);
#else
    unsigned x0 = x & 0xffff, x1 = x >> 16, w0 = w & 0xffff, w1 = w >> 16;
    unsigned one = x0 * w1 + (x0 * w0 >> 16);
    unsigned two = x1 * w0 + (one & 0xffff);
    y[i] = x1 * w1 + (one >> 16) + (two >> 16);
    unsigned long long u0 = (unsigned)u, u1 = u >> 32, v0 = (unsigned)v, v1 = v >> 32;
    unsigned long long first = u0 * v1 + (u0 * v0 >> 32);
#if WRONG == 0
    unsigned long long second = u1 * v0 + (unsigned)first;
    z[i] = u1 * v1 + (first >> 32) + (second >> 32);
#else
    // wrong: the sum of both has no room for its carry
    unsigned long long second = u1 * v0 + first;
    z[i] = u1 * v1 + (second >> 32);
#endif
#endif
}
