// Eight numbers as bytes with one scale, as quantizers of blocks are written: the largest size becomes 127.
// A row of zeros has no scale, and is guarded against in different places: outside of the rounding, in the factor, by
// the sign of the largest.
// WRONG 1: a row of zeros becomes ones.
#ifndef WRONG
#define WRONG 0
#endif
#define N 8
__device__ float largest(const float *x) {
    float most = 0;
    for (int i = 0; i < N; i++) most = fmaxf(most, fabsf(x[i]));
    return most;
}
extern "C" __global__ void outside(const float *x, signed char *q, float *scale) {
    x += threadIdx.x * N, q += threadIdx.x * N;
    float most = largest(x), d = most / 127.0f;
    for (int i = 0; i < N; i++) q[i] = most == 0 ? WRONG : (signed char)roundf(x[i] / d);
    scale[threadIdx.x] = d;
}
extern "C" __global__ void inside(const float *x, signed char *q, float *scale) {
    x += threadIdx.x * N, q += threadIdx.x * N;
    float d = largest(x) / 127.0f, factor = d ? 1.0f / d : 0.0f;
    for (int i = 0; i < N; i++) q[i] = (signed char)roundf(x[i] * factor);
    scale[threadIdx.x] = d;
}
extern "C" __global__ void by_sign(const float *x, signed char *q, float *scale) {
    x += threadIdx.x * N, q += threadIdx.x * N;
    float most = largest(x), factor = most > 0 ? 127.0f / most : 0.0f;
    for (int i = 0; i < N; i++) q[i] = (signed char)roundf(x[i] * factor);
    scale[threadIdx.x] = most / 127.0f;
}
