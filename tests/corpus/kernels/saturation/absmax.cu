// A row of COLUMNS numbers as bytes, over its largest magnitude (one block of 32 threads, a multiple of 32 columns).
// FORM: how the largest magnitude is found, and whether the result is clamped. WRONG: scaled to 126.
extern "C" __global__ void absmax(const float *x, signed char *y, float *scale)
{
    float largest = 0;
    int lane = threadIdx.x;
#if FORM == 0
    // By each thread alone, clamped.
    for (int i = 0; i < COLUMNS; i++)
        largest = fmaxf(largest, fabsf(x[i]));
#elif FORM == 1
    // By shuffles, not clamped: nothing is larger than the largest.
    for (int i = lane; i < COLUMNS; i += 32)
        largest = fmaxf(largest, fabsf(x[i]));
    for (int mask = 16; mask; mask /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, mask));
#else
    // By the least and the largest number, clamped.
    float least = 0;
    for (int i = 0; i < COLUMNS; i++) {
        least = fminf(least, x[i]);
        largest = fmaxf(largest, x[i]);
    }
    largest = fmaxf(-least, largest);
#endif
    float unit = largest / (WRONG ? 126.0f : 127.0f);
    if (lane == 0)
        scale[0] = unit;
    for (int i = lane; i < COLUMNS; i += 32) {
        int value = __float2int_rn(x[i] / unit);
        y[i] = FORM == 1 ? value : max(-127, min(127, value));
    }
}
