// SwiGLU: y = silu(gate) up, one element per thread.
extern "C" __global__ void gated(const float *gate, const float *up, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = gate[i] / (1.0f + expf(-gate[i])) * up[i];
}
