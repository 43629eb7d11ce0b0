// Outputs of which something is known that is less than a formula. FORM chooses; WRONG is the mistake.
extern "C" __global__ void promise(const float *x, float *y)
{
    int i = threadIdx.x;
#if FORM == 0
    // Weights that sum to 1; wrong: the last one is not divided.
    __shared__ float e[8];
    e[i] = __expf(x[i]);
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += e[k];
    y[i] = WRONG && i == 7 ? e[i] : e[i] / sum;
#elif FORM == 1
    // Between -1 and 1; wrong: the larger of both limits.
    y[i] = WRONG ? fmaxf(fmaxf(x[i], -1.0f), 1.0f) : fminf(fmaxf(x[i], -1.0f), 1.0f);
#elif FORM == 2
    // Four numbers sorted; wrong: the last comparison is missing.
    if (i == 0) {
        float a = x[0], b = x[1], c = x[2], d = x[3];
        float lo = fminf(a, b), hi = fmaxf(a, b), lo2 = fminf(c, d), hi2 = fmaxf(c, d);
        float first = fminf(lo, lo2), p = fmaxf(lo, lo2), q = fminf(hi, hi2), last = fmaxf(hi, hi2);
        y[0] = first;
        y[1] = WRONG ? p : fminf(p, q);
        y[2] = WRONG ? q : fmaxf(p, q);
        y[3] = last;
    }
#elif FORM == 3
    // Each element one more than it was; wrong: the first two more.
    y[i] += WRONG && i == 0 ? 2.0f : 1.0f;
#elif FORM == 4
    // Running sums; wrong: the element itself is left out.
    float sum = 0;
    for (int k = 0; k < i + (WRONG ? 0 : 1); k++)
        sum += x[k];
    y[i] = sum;
#else
    // A root that is only one of positive numbers; wrong: the sign is lost on the way.
    y[i] = sqrtf(x[i] * x[i]) * (WRONG ? -1.0f : 1.0f);
#endif
}
