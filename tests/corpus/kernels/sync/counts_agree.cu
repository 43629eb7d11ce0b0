// Four warps meet at one barrier on two paths, all expecting 128 threads.
extern "C" __global__ void counts(const float *x, float *y) {
    __shared__ float row[128];
    int i = threadIdx.x;
    row[i] = x[i];
    if (i < 32)
        asm volatile("bar.sync 1, 128; // first warp" ::: "memory");
    else
        asm volatile("bar.sync 1, 128; // other warps" ::: "memory");
    y[i] = row[127 - i];
}
