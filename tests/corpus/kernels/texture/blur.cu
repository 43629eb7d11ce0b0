// A 3 × 3 binomial filter of an image of H rows of W floats: the texture does what has to be done at the edge, or the
// kernel itself does. EDGE 0 repeats the edge, 1 takes zeros, 2 begins again at the other side.

extern "C" __global__ void blur_texture(cudaTextureObject_t image, float* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float sum = 0;
#pragma unroll
    for (int j = -1; j <= 1; j++)
#pragma unroll
        for (int i = -1; i <= 1; i++) {
            float weight = (2 - abs(i)) * (2 - abs(j)) / 16.0f;
#if EDGE == 2
            sum += weight * tex2D<float>(image, (x + i + 0.5f) / W, (y + j + 0.5f) / H);
#else
            sum += weight * tex2D<float>(image, x + i + 0.5f, y + j + 0.5f);
#endif
        }
    out[y * W + x] = sum;
}

extern "C" __global__ void blur_by_hand(const float* image, float* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            float weight = (2 - abs(i)) * (2 - abs(j)) / 16.0f;
#if EDGE == 0
            float texel = image[min(max(y + j, 0), H - 1) * W + min(max(x + i, 0), W - 1)];
#elif EDGE == 1
            bool inside = x + i >= 0 && x + i < W && y + j >= 0 && y + j < H;
            float texel = inside ? image[(y + j) * W + x + i] : 0.0f;
#else
            float texel = image[(y + j + H) % H * W + (x + i + W) % W];
#endif
            sum += weight * texel;
        }
    out[y * W + x] = sum;
}
