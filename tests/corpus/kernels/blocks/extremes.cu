// The largest of all elements and of what m held. serial: one thread. atomics: every thread, by atomics that compare
// integers; as signed ones for what is not negative, as unsigned ones for what is. FORM 0: by a comparison, 1: by the
// sign bit, 2: in shared memory, 3: of magnitudes, which have one sign, 4: the smallest.
// WRONG 1: the two are exchanged; 2: both signed; 3: zero counts as negative.
#ifndef WRONG
#define WRONG 0
#endif
extern "C" __global__ void serial(const float *x, float *m, int n) {
    if (threadIdx.x) return;
    float best = m[0];
    for (int i = 0; i < n; i++) best = FORM == 4 ? fminf(best, x[i]) : fmaxf(best, FORM == 3 ? fabsf(x[i]) : x[i]);
    m[0] = best;
}
__device__ void larger(float *at, float v) {
    bool positive = FORM == 1 ? !(__float_as_int(v) < 0) : WRONG == 3 ? v > 0.0f : v >= 0.0f;
    if (WRONG == 1 ? !positive : positive) atomicMax((int *)at, __float_as_int(v));
    else if (WRONG == 2) atomicMin((int *)at, __float_as_int(v));
    else atomicMin((unsigned *)at, __float_as_uint(v));
}
__device__ void smaller(float *at, float v) {
    if (v >= 0.0f) atomicMin((int *)at, __float_as_int(v));
    else atomicMax((unsigned *)at, __float_as_uint(v));
}
extern "C" __global__ void atomics(const float *x, float *m, int n) {
    __shared__ float s;
    int i = threadIdx.x;
    if (FORM == 2) {
        if (i == 0) s = __int_as_float(0xff800000);
        __syncthreads();
        if (i < n) larger(&s, x[i]);
        __syncthreads();
        if (i == 0) m[0] = fmaxf(m[0], s);
    } else if (FORM == 3) {
        if (i < n) atomicMax((int *)m, __float_as_int(fabsf(x[i])));
    } else if (i < n) {
        if (FORM == 4) smaller(m, x[i]);
        else larger(m, x[i]);
    }
}
