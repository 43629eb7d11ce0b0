// The mean of L layers of an image of H rows of W floats, from a layered texture or an array; and of a volume, sampled
// between its slices.

#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void mean_layers(cudaTextureObject_t images, float* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float sum = 0;
    for (int layer = 0; layer < L; layer++) sum += tex2DLayered<float>(images, x + 0.5f, y + 0.5f, layer);
    out[y * W + x] = sum / L;
}

extern "C" __global__ void mean_by_hand(const float* images, float* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float sum = 0;
    for (int layer = 0; layer < L; layer++) sum += images[(layer * H + y) * W + x];
    out[y * W + x] = sum / L;
}

// Slices at z = 0, 1/2, 1, …: every second one lies between two of the volume.
extern "C" __global__ void slices_texture(cudaTextureObject_t volume, float* out) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
#if MUTANT == 1
    // wrong: between the wrong slices
    out[(z * H + y) * W + x] = tex3D<float>(volume, x + 0.5f, y + 0.5f, z * 0.5f + 1.0f);
#else
    out[(z * H + y) * W + x] = tex3D<float>(volume, x + 0.5f, y + 0.5f, z * 0.5f + 0.5f);
#endif
}

extern "C" __global__ void slices_by_hand(const float* volume, float* out) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    float lower = volume[(z / 2 * H + y) * W + x];
    float upper = volume[(min(z / 2 + 1, L - 1) * H + y) * W + x];
    out[(z * H + y) * W + x] = z % 2 == 0 ? lower : 0.5f * (lower + upper);
}
