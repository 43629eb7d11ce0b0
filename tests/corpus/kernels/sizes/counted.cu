// Reverses 128 elements in shared memory, with a barrier that counts its threads.
extern "C" __global__ void counted(int n, const float *x, float *y) {
    __shared__ float part[128];
    int tid = threadIdx.x, at = blockIdx.x * 128 + tid;
    part[tid] = at < n ? x[at] : 0.0f;
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (at < n) y[at] = part[127 - tid];
}
