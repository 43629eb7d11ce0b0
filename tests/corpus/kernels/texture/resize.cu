// Doubles an image of H rows of W floats by bilinear interpolation, with the edge repeated: by a texture with a
// linear filter, or by hand. One thread computes one pixel of 2H × 2W; blocks of 16 × 8.

#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void resize_texture(cudaTextureObject_t image, float* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 2 * W || y >= 2 * H) return;
#if MUTANT == 1
    // wrong: the half that leads to a texel's centre is missing
    out[y * 2 * W + x] = tex2D<float>(image, x * 0.5f, y * 0.5f);
#else
    out[y * 2 * W + x] = tex2D<float>(image, (x + 0.5f) * 0.5f, (y + 0.5f) * 0.5f);
#endif
}

extern "C" __global__ void resize_by_hand(const float* image, float* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 2 * W || y >= 2 * H) return;
    float u = (x + 0.5f) * 0.5f - 0.5f, v = (y + 0.5f) * 0.5f - 0.5f;
    int i = (int)floorf(u), j = (int)floorf(v);
    float a = u - i, b = v - j;
    int left = max(i, 0), right = min(i + 1, W - 1), above = max(j, 0), below = min(j + 1, H - 1);
    float upper = (1 - a) * image[above * W + left] + a * image[above * W + right];
    float lower = (1 - a) * image[below * W + left] + a * image[below * W + right];
    out[y * 2 * W + x] = (1 - b) * upper + b * lower;
}
