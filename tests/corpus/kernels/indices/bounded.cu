// Entries of a table of 64 at places that the kernel itself bounds. FORM: two ways to bound each of
//   0, 1 the low bits; 2, 3, 4 a clamp; 5, 6 a guard around the access; 7, 8 a guard for both neighbours;
//   9, 10 places counted from the end; 11, 12 a float that is rounded to a place; 13, 14 a count of bits.
// WRONG: 1 a bit too few; 2 a place too many; 3 a neighbour too many; 4 counted from the wrong end; 5 rounded down.
extern "C" __global__ void bounded(const int *x, const float *f, const float *table, float *y)
{
    int i = threadIdx.x;
    float v = 0;
#if FORM != 11 && FORM != 12
    int j = x[i];
#endif
#if FORM == 0
    v = table[j & (WRONG == 1 ? 31 : 63)];
#elif FORM == 1
    v = table[(unsigned)(j << 26) >> 26];
#elif FORM == 2
    v = table[max(0, min(j, 63))];
#elif FORM == 3
    if (j < 0) j = 0;
    if (j > (WRONG == 2 ? 64 : 63)) j = WRONG == 2 ? 64 : 63;
    v = table[j];
#elif FORM == 4
    j = max(0, min(j, 63));
    for (int k = 0; k < 64; k++) v = k == j ? table[k] : v;
#elif FORM == 5
    if (j >= 0 && j < 64) v = table[j];
#elif FORM == 6
    if ((unsigned)j < (WRONG == 2 ? 65u : 64u)) v = table[j];
#elif FORM == 7
    if (j >= 1 && j < 63) v = table[j - 1] + table[j + 1];
#elif FORM == 8
    if ((unsigned)(j - (WRONG != 3)) < 62u) v = table[j + 1] + table[j - 1];
#elif FORM == 9
    if (j >= -64 && j < 64) v = table[j < 0 ? j + 64 : j];
#elif FORM == 10
    if (j < 64 && j >= -64) {
        if (j < 0) j = WRONG == 4 ? -1 - j : j + 64;
        v = table[j];
    }
#elif FORM == 11
    float g = f[i];
    if (g < 0) g = 0;
    if (g > 63) g = 63;
    v = table[__float2int_rn(g)];
#elif FORM == 12
    float g = fminf(fmaxf(f[i], 0.0f), 63.0f);
    v = table[(int)(WRONG == 5 ? g : rintf(g))];
#elif FORM == 13
    v = table[__popc(j)];
#elif FORM == 14
    v = table[min(__popc(j), 63)];
#endif
    y[i] = v;
}
