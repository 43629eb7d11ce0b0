// Fractional powers of numbers that have been limited: the compiler answers some of the function's own questions.

extern "C" __global__ void fourth_root(const float *x, float *y) {
    y[threadIdx.x] = powf(fmaxf(x[threadIdx.x], 1e-6f), 0.25f);
}

extern "C" __global__ void fourth_root_by_roots(const float *x, float *y) {
    y[threadIdx.x] = sqrtf(sqrtf(fmaxf(x[threadIdx.x], 1e-6f)));
}

extern "C" __global__ void fourth_root_of_more(const float *x, float *y) {
    y[threadIdx.x] = sqrtf(sqrtf(fmaxf(x[threadIdx.x], 1e-5f)));  // wrong: another limit
}

extern "C" __global__ void power(const float *x, float *y) {
    y[threadIdx.x] = powf(fmaxf(x[threadIdx.x], 1.0f), 0.75f);
}

extern "C" __global__ void power_by_roots(const float *x, float *y) {
    float root = sqrtf(fmaxf(x[threadIdx.x], 1.0f));
    y[threadIdx.x] = root * sqrtf(root);
}
