// Where memory lies, which lane is elected, which lanes act together: the machine's choice.
extern "C" __global__ void doubled(const float *x, float *y) {
    int t = threadIdx.x;
    for (int i = 0; i < 4; ++i)
        y[4 * t + i] = 2 * x[4 * t + i];
}

extern "C" __global__ void vectors(const float *x, float *y) {
    int t = threadIdx.x;
    if ((reinterpret_cast<unsigned long long>(x) | reinterpret_cast<unsigned long long>(y)) % 16 == 0) {
        float4 v = reinterpret_cast<const float4 *>(x)[t];
        reinterpret_cast<float4 *>(y)[t] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    } else {
        for (int i = 0; i < 4; ++i)
            y[4 * t + i] = 2 * x[4 * t + i];
    }
}

extern "C" __global__ void vectors_wrong(const float *x, float *y) {
    int t = threadIdx.x;
    if (reinterpret_cast<unsigned long long>(x) % 16 == 0) {
        float4 v = reinterpret_cast<const float4 *>(x)[t];
        for (int i = 0; i < 4; ++i)
            y[4 * t + i] = 2 * (&v.x)[i];
    } else {
        for (int i = 0; i < 4; ++i)
            y[4 * t + i] = 2 * x[4 * t + (i ^ 1)];
    }
}

extern "C" __global__ void ordered(const float *x, float *y) {
    int t = threadIdx.x;
    float factor = x < y ? 2 : 3;
    for (int i = 0; i < 4; ++i)
        y[4 * t + i] = factor * x[4 * t + i];
}

extern "C" __global__ void a_bit(const float *x, float *y) {
    int t = threadIdx.x;
    float factor = reinterpret_cast<unsigned long long>(x) >> 20 & 1 ? 3 : 2;
    for (int i = 0; i < 4; ++i)
        y[4 * t + i] = factor * x[4 * t + i];
}

extern "C" __global__ void pointers(const float *x, float *y) {
    const float *from = x + 4 * threadIdx.x, *end = from + 4;
    float *to = y + 4 * threadIdx.x;
    while (from != end)
        *to++ = 2 * *from++;
}

extern "C" __global__ void together(const float *x, float *y) {
    int t = threadIdx.x;
    float factor = 2;
    if (t & 1)
        factor = __popc(__activemask()) == 16 ? 2 : 3;
    for (int i = 0; i < 4; ++i)
        y[4 * t + i] = factor * x[4 * t + i];
}

__device__ bool elected() {
    unsigned one;
    asm volatile("{ .reg .pred p; .reg .b32 r; elect.sync r|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(one));
    return one != 0;
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void first_elected(const float *x, float *y) {
    int t = threadIdx.x;
    float factor = elected() == (t == 0) ? 2 : 3;
    for (int i = 0; i < 4; ++i)
        y[4 * t + i] = factor * x[4 * t + i];
}

extern "C" __global__ void any_elected(const float *x, float *y) {
    __shared__ float factor;
    int t = threadIdx.x;
    if (elected())
        factor = 2;
    __syncthreads();
    for (int i = 0; i < 4; ++i)
        y[4 * t + i] = factor * x[4 * t + i];
}
#endif
