// A round of Philox: both halves of a product and a key, combined. FORM 0: high and low half apart; 1: a 64-bit product;
// 2: the same, the key last. WRONG: the halves are added.
extern "C" __global__ void philox(const unsigned *x, const unsigned *key, unsigned *y)
{
    int i = threadIdx.x;
#if FORM == 0
    y[i] = __umulhi(0xD2511F53u, x[i]) ^ 0xD2511F53u * x[i] ^ key[i];
#else
    unsigned long long product = (unsigned long long)0xD2511F53u * x[i];
    unsigned high = product >> 32, low = product;
    y[i] = FORM == 2 ? (WRONG ? high + low : high ^ low) ^ key[i] : key[i] ^ low ^ high;
#endif
}
