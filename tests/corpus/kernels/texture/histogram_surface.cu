// Counts N values in B bins: by atomics in a surface (inline assembly, since CUDA has no word for sured) or in an array.

extern "C" __global__ void count_surface(const int* value, cudaSurfaceObject_t bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bin = (value[i] & (B - 1)) * (int)sizeof(unsigned);
    asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" ::"l"(bins), "r"(bin), "r"(1u) : "memory");
}

extern "C" __global__ void count_by_hand(const int* value, unsigned* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[value[i] & (B - 1)], 1u);
}
