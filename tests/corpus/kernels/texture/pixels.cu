// Gray values of an image of four bytes a pixel: a texture gives them as floats from 0 to 1, or they are divided by 255.

#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void gray_texture(cudaTextureObject_t image, float* gray) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float4 c = tex2D<float4>(image, x + 0.5f, y + 0.5f);
#if MUTANT == 1
    // wrong: blue and red have changed places
    gray[y * W + x] = 0.299f * c.z + 0.587f * c.y + 0.114f * c.x;
#else
    gray[y * W + x] = 0.299f * c.x + 0.587f * c.y + 0.114f * c.z;
#endif
}

extern "C" __global__ void gray_by_hand(const uchar4* image, float* gray) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    uchar4 c = image[y * W + x];
    gray[y * W + x] = 0.299f * (c.x / 255.0f) + 0.587f * (c.y / 255.0f) + 0.114f * (c.z / 255.0f);
}

// The same picture with its channels in another order, as integers.
extern "C" __global__ void swap_texture(cudaTextureObject_t image, cudaSurfaceObject_t out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    uchar4 c = tex2D<uchar4>(image, x, y);
    surf2Dwrite(make_uchar4(c.z, c.y, c.x, c.w), out, x * (int)sizeof(uchar4), y);
}

extern "C" __global__ void swap_by_hand(const uchar4* image, uchar4* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    uchar4 c = image[y * W + x];
    out[y * W + x] = make_uchar4(c.z, c.y, c.x, c.w);
}
