// softplus by a threshold: another function.
extern "C" __global__ void k(const float* x, float* y) {
    const float* r = x + threadIdx.x * N;
    for (int i = 0; i < N; i++) y[threadIdx.x * N + i] = r[i] > 20.0f ? r[i] : log1pf(expf(r[i]));
}
