// Samples a signal of N floats at places that data say, with the edge repeated: by a linear filter, or by hand.

extern "C" __global__ void warp_texture(cudaTextureObject_t signal, const float* at, float* out) {
    int i = threadIdx.x;
    out[i] = tex1D<float>(signal, at[i] + 0.5f);
}

extern "C" __global__ void warp_by_hand(const float* signal, const float* at, float* out) {
    int i = threadIdx.x;
    float base = floorf(at[i]);
    float a = at[i] - base;
    int left = (int)fminf(fmaxf(base, 0), N - 1), right = (int)fminf(fmaxf(base + 1, 0), N - 1);
    out[i] = (1 - a) * signal[left] + a * signal[right];
}
