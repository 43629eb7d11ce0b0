// Fields of a word whose place is data, taken out, put in, and picked byte by byte: by instructions, or by shifts
// and masks. Launched as <<<1, 4>>>.
#ifndef FORM
#define FORM 0
#endif
#ifndef WRONG
#define WRONG 0
#endif

extern "C" __global__ void fields(const unsigned* a, const unsigned* b, const unsigned char* at, unsigned* y,
                                  int* s, unsigned* t, unsigned* p) {
    unsigned i = threadIdx.x, x = a[i], w = b[i], from = at[i] & 31, length = at[i] >> 5;
#if FORM == 0
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(y[i]) : "r"(x), "r"(from), "r"(length));
    asm("bfe.s32 %0, %1, %2, 8;" : "=r"(s[i]) : "r"(x), "r"(from));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(t[i]) : "r"(x), "r"(w), "r"(from), "r"(length));
    p[i] = __byte_perm(x, w, 0x3210 + 0x1111 * (from & 3));
#else
    unsigned mask = (1u << length) - 1;
    y[i] = (x >> from) & mask;
    // wrong: a field that ends beyond the word has the word's sign, not the sign of what is shifted in
    s[i] = WRONG || from < 24 ? (int)(signed char)(x >> from) : (int)x >> from;
    t[i] = (w & ~(mask << from)) | ((x & mask) << from);
    p[i] = __funnelshift_r(x, w, 8 * (from & 3));
#endif
}
