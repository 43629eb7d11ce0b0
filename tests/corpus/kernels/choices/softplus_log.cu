// softplus as it is defined.
extern "C" __global__ void k(const float* x, float* y) {
    const float* r = x + threadIdx.x * N;
    for (int i = 0; i < N; i++) y[threadIdx.x * N + i] = logf(1.0f + expf(r[i]));
}
