// A texture that comes in a struct, and one of two that the thread chooses.

struct Sampler {
    float scale;
    cudaTextureObject_t even, odd;
    int n;
};

extern "C" __global__ void scaled_texture(Sampler sampler, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < sampler.n) {
        cudaTextureObject_t chosen = i % 2 == 0 ? sampler.even : sampler.odd;
        out[i] = sampler.scale * tex1Dfetch<float>(chosen, i);
    }
}

extern "C" __global__ void scaled_by_hand(float scale, const float* even, const float* odd, int n, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = scale * (i % 2 == 0 ? even[i] : odd[i]);
}
