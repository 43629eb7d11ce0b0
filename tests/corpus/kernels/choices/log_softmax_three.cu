// log-softmax of a row: maximum, sum, result.
extern "C" __global__ void k(const float* x, float* y) {
    const float* r = x + threadIdx.x * N;
    float m = r[0], s = 0.0f;
    for (int i = 1; i < N; i++) m = fmaxf(m, r[i]);
    for (int i = 0; i < N; i++) s += expf(r[i] - m);
    for (int i = 0; i < N; i++) y[threadIdx.x * N + i] = r[i] - m - logf(s);
}
