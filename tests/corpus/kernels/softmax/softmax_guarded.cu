// Values weighed by softmax over what a mask lets through, one row, whose keys may all be masked. FORM 0: sums by
// branches, 0 where there is no key; 1: online by branches, the maximum begins with START, the same guard; 2: masked
// scores are -∞ and the maximum is first, without a guard. MUTANT 1: values are not rescaled.
#ifndef MUTANT
#define MUTANT 0
#endif
#ifndef START
#define START -1e30f
#endif
extern "C" __global__ void softmax_guarded(const float *x, const int *mask, const float *v, float *y)
{
    float sum = 0, weighed = 0;
#if FORM == 0
    for (int at = 0; at < N; at++)
        if (mask[at]) {
            sum += expf(x[at]);
            weighed += expf(x[at]) * v[at];
        }
#elif FORM == 1
    float most = START;
    for (int at = 0; at < N; at++)
        if (mask[at]) {
            float more = fmaxf(most, x[at]), part = expf(x[at] - more);
            sum = sum * expf(most - more) + part;
            weighed = (MUTANT == 1 ? weighed : weighed * expf(most - more)) + part * v[at];
            most = more;
        }
#else
    const float none = __int_as_float(0xff800000);
    float most = none;
    for (int at = 0; at < N; at++)
        most = fmaxf(most, mask[at] ? x[at] : none);
    for (int at = 0; at < N; at++) {
        float part = expf((mask[at] ? x[at] : none) - most);
        sum += part;
        weighed += part * v[at];
    }
#endif
#if FORM == 2
    y[0] = weighed / sum;
#else
    y[0] = sum > 0 ? weighed / sum : 0;
#endif
}
