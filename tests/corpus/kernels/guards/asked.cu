// Divides where it has asked that the divisor is zero: NaN there, and no assumption makes it the quotient.
extern "C" __global__ void divides(const float *x, float *y) {
    float m = fabsf(x[threadIdx.x]), v = x[threadIdx.x + 32];
    y[threadIdx.x] = m == 0.0f ? __fdiv_rn(v * m, m) : 1.0f;
}
extern "C" __global__ void does_not(const float *x, float *y) {
    float m = fabsf(x[threadIdx.x]), v = x[threadIdx.x + 32];
    y[threadIdx.x] = m == 0.0f ? v : 1.0f;
}
