// Textures that the host puts into constant memory, as many programs have them.

__constant__ cudaTextureObject_t table;

extern "C" __global__ void constant_texture(const float* x, float* y) {
    int i = threadIdx.x;
    y[i] = x[i] * tex1Dfetch<float>(table, 31 - i);
}

extern "C" __global__ void constant_by_hand(const float* x, const float* table, float* y) {
    int i = threadIdx.x;
    y[i] = x[i] * table[31 - i];
}
