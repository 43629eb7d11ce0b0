// Threads that nothing orders store one value to one place (FORM says how the value comes about). With
// WRONG, the values differ for some inputs, or somebody reads meanwhile.
extern "C" __global__ void same_value(const float *x, const int *m, float *out) {
    int t = threadIdx.x;
#if FORM == 0 // one element
    out[0] = x[WRONG * (t >> 5)];
#elif FORM == 1 // a constant
    out[0] = WRONG * (t & 1);
#elif FORM == 2 // summands the other way round
    if (t == 0) out[0] = x[0] + x[1];
    if (t == 32) out[0] = x[1] + x[WRONG];
#elif FORM == 3 // equal over the reals only
    if (t == 0) out[0] = (x[0] + x[1]) * x[2];
    if (t == 32) out[0] = x[1] * x[2] + x[0] * x[2 + WRONG];
#elif FORM == 4 // replicated, as Triton does it: each warp computes all of it
    float product = x[t & 31] * x[(t & 31) + 32];
    for (int step = 16; step > 0; step /= 2) product += __shfl_xor_sync(~0u, product, step);
    if ((t & 31) < 4) out[t & 3] = fmaf(x[7], x[8 + WRONG * (t >> 5)], product);
#elif FORM == 5 // under a condition of each thread
    if (x[t] > 0) out[0] = WRONG ? x[t] : x[3];
#elif FORM == 6 // equal where the condition holds
    if (t == 0 && x[0] > 0 - WRONG) out[0] = x[0];
    if (t == 32 && x[0] > 0 - WRONG) out[0] = fabsf(x[0]);
#elif FORM == 7 // a flag, read behind a barrier or before
    __shared__ int flag;
    if (t == 0) flag = 0;
    __syncthreads();
    if (x[t] > 0) flag = 1;
    if (!WRONG) __syncthreads();
    out[t] = flag;
#elif FORM == 8 // a barrier object, begun by a whole warp
    __shared__ alignas(8) unsigned long long object;
    unsigned place = (unsigned)__cvta_generic_to_shared(&object);
    if (t < 32) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place), "r"(64 + WRONG * (t & 1)));
    __syncthreads();
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place));
    out[t] = x[t];
#endif
}
