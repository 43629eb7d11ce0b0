// Each lane hands a number to its neighbour through shared memory; between write and read stands a
// matrix product that has nothing to do with either. The product needs all lanes of the warp, but
// the manual does not say that it orders their memory accesses.
extern "C" __global__ void between(const float *x, float *y, float *product) {
    __shared__ float s[32];
    int lane = threadIdx.x;
    s[lane] = x[lane];
    float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    unsigned one = 0x3c003c00u; // 1.0, 1.0 in f16
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(one), "r"(one), "r"(one)
                 : "memory");
#ifdef SYNC
    __syncwarp();
#endif
    y[lane] = s[(lane + 1) % 32];
    product[lane] = d[0];
}
