// Halves every element until it is at most one: how often the loop runs depends on the data.
extern "C" __global__ void halve_until(const float *x, float *y) {
    int i = threadIdx.x;
    float value = x[i];
    while (value > 1.0f) value *= 0.5f;
    y[i] = value;
}
