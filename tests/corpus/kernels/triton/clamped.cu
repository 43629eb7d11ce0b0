// Scaled into the range of fp8 (e4m3).

extern "C" __global__ void clamped(const float *x, float *y, int n) {
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place < n) y[place] = fmaxf(fminf(x[place] * 16.f, 448.f), -448.f);
}
