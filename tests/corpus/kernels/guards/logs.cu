// Logarithms of arguments that have been limited, whose own questions the compiler leaves out; and what asks for them.

extern "C" __global__ void log_of_limited(const float *x, const float *z, float *y) {
    y[threadIdx.x] = logf(fmaxf(x[threadIdx.x], 1.0f)) + z[threadIdx.x];
}

extern "C" __global__ void log_chosen(const float *x, const float *z, float *y) {
    float v = x[threadIdx.x];
    y[threadIdx.x] = v > 1 ? logf(v) + z[threadIdx.x] : z[threadIdx.x];
}

extern "C" __global__ void log_chosen_late(const float *x, const float *z, float *y) {
    float v = x[threadIdx.x];
    y[threadIdx.x] = v > 2 ? logf(v) + z[threadIdx.x] : z[threadIdx.x];  // wrong: from 2 on
}


extern "C" __global__ void plain(const float *x, const float *z, float *y) {
    y[threadIdx.x] = z[threadIdx.x];
}

extern "C" __global__ void where_log_is_number(const float *x, const float *z, float *y) {
    y[threadIdx.x] = isnan(logf(x[threadIdx.x])) ? 0 : z[threadIdx.x];
}
