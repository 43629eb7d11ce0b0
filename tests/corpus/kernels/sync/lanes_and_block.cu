// Half a warp waits for its other half at the warp's barrier, while that half waits for the first
// at the block's barrier. One warp; barrier.sync may be reached by part of a warp.
extern "C" __global__ void lanes_and_block(const float *x, float *y) {
    int i = threadIdx.x;
    if (i < 16)
        asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    else
        asm volatile("barrier.sync 0;" ::: "memory");
    y[i] = x[i];
}
