// The whole warp meets at the warp's barrier first, then at the block's, from two paths.
extern "C" __global__ void lanes_then_block(const float *x, float *y) {
    __shared__ float row[32];
    int i = threadIdx.x;
    row[i] = x[i];
    if (i < 16) {
        asm volatile("bar.warp.sync 0xffffffff; // low half" ::: "memory");
        row[i] = row[i] + row[i + 16];
        asm volatile("barrier.sync 0; // low half" ::: "memory");
    } else {
        asm volatile("bar.warp.sync 0xffffffff; // high half" ::: "memory");
        asm volatile("barrier.sync 0; // high half" ::: "memory");
    }
    y[i] = row[i % 16];
}
