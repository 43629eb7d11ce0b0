// y = an activation function of x, one element per thread: GELU by erf or by tanh, or SiLU.
extern "C" __global__ void activation(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
#if defined GELU_ERF
    y[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
#elif defined GELU_TANH
    y[i] = 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
#else
    y[i] = v / (1.0f + expf(-v));
#endif
}
