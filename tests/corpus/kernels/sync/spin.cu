// Waits for a flag that nobody sets: a loop that never ends, though no barrier is involved.
extern "C" __global__ void spin(const volatile int *flag, float *y) {
    while (*flag == 0) {
    }
    y[threadIdx.x] = 1.0f;
}
