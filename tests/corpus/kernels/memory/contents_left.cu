// A counter that holds 0 before the launch: one kernel sets it to 0 again, one leaves it alone, one spoils it.

extern "C" __global__ void resets(const float *x, float *y, int *counter) {
    y[threadIdx.x] = 2 * x[threadIdx.x];
    if (threadIdx.x == 0) counter[0] = 0;
}

extern "C" __global__ void leaves(const float *x, float *y, int *counter) {
    y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x];
}

extern "C" __global__ void spoils(const float *x, float *y, int *counter) {
    y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x];
    if (threadIdx.x == 0) counter[0] = 1;
}
