// Softmax over what a mask lets through, a row a thread: keys that it does not are skipped. FORM 0: the maximum, then the
// sum, by branches; 1: both at once, the sum rescaled where a key is let through. MUTANT 1: where the maximum stays, the
// key is not added; 2: the sum is not rescaled; 3: the last key is always let through.
#ifndef MUTANT
#define MUTANT 0
#endif
extern "C" __global__ void softmax_skipping(const float *x, const int *mask, float *y)
{
    const float *own = x + threadIdx.x * N;
    const int *let = mask + threadIdx.x * N;
    float most = __int_as_float(0xff800000), sum = 0;
#if FORM == 0
    for (int at = 0; at < N; at++)
        if (let[at])
            most = fmaxf(most, own[at]);
    for (int at = 0; at < N; at++)
        if (let[at])
            sum += expf(own[at] - most);
#else
    for (int at = 0; at < N; at++) {
        if (let[at] || MUTANT == 3 && at == N - 1) {
            float more = fmaxf(most, own[at]);
            float part = MUTANT == 1 && more == most ? 0 : expf(own[at] - more);
            sum = (MUTANT == 2 ? sum : sum * expf(most - more)) + part;
            most = more;
        }
    }
#endif
    for (int at = 0; at < N; at++)
        y[threadIdx.x * N + at] = let[at] ? expf(own[at] - most) / sum : 0;
}
