// RMS normalization of a row: each thread adds up the whole row (FORM 0), or a warp adds up four elements a step
// (FORM 1; wrong: FORM 2 takes the third weight for the fourth element).
#if FORM == 0
__global__ void rms_norm(const float* x, const float* w, float* y, int n, float eps) {
    int r = blockIdx.x;
    float s = 0;
    for (int i = 0; i < n; i++) s += x[r * n + i] * x[r * n + i];
    float k = rsqrtf(s / n + eps);
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[r * n + i] = x[r * n + i] * k * w[i];
}
#else
__global__ void rms_norm_vec4(const float4* x, const float4* w, float4* y, int n, float eps) {
    int r = blockIdx.x, t = threadIdx.x, n4 = n >> 2;
    float s = 0;
    for (int i = t; i < n4; i += blockDim.x) {
        float4 v = x[r * n4 + i];
        s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    float k = rsqrtf(s / n + eps);
    for (int i = t; i < n4; i += blockDim.x) {
        float4 v = x[r * n4 + i], g = w[i];
        v.x *= k * g.x;
        v.y *= k * g.y;
        v.z *= k * g.z;
#if FORM == 1
        v.w *= k * g.w;
#else
        v.w *= k * g.z; // wrong: the weight of the element before
#endif
        y[r * n4 + i] = v;
    }
}
#endif
