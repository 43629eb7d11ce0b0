// A surface that is changed where it is: each thread its own pixel, which is fine, or what another has written before
// a barrier, which the surface's cache need not know.

extern "C" __global__ void scale_in_place(cudaSurfaceObject_t image) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float value;
    surf2Dread(&value, image, x * (int)sizeof(float), y);
    surf2Dwrite(2 * value, image, x * (int)sizeof(float), y);
}

extern "C" __global__ void scale_by_hand(float* image) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    image[y * gridDim.x * blockDim.x + x] *= 2;
}

extern "C" __global__ void shift_through_surface(cudaSurfaceObject_t image, float* out) {
    int x = threadIdx.x;
    surf1Dwrite((float)x, image, x * (int)sizeof(float));
    __syncthreads();
    float value;
    // wrong: what this kernel has written is not read through a surface
    surf1Dread(&value, image, (x ^ 1) * (int)sizeof(float));
    out[x] = value;
}

extern "C" __global__ void update_texture(cudaTextureObject_t texture, float* memory, float* out) {
    int x = threadIdx.x;
    memory[x] = 2 * tex1Dfetch<float>(texture, x);
    __syncthreads();
    // wrong: the texture may give what was there before
    out[x] = tex1Dfetch<float>(texture, x);
}
