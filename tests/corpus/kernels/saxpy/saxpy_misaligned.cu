// y = a x[1..] + y with 16-byte loads from an address that is only 4-byte aligned.
extern "C" __global__ void saxpy_misaligned(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 u = *reinterpret_cast<const float4 *>(x + 4 * i + 1);  // wrong: + 1
        y[4 * i] = a * u.x + y[4 * i];
        y[4 * i + 1] = a * u.y + y[4 * i + 1];
        y[4 * i + 2] = a * u.z + y[4 * i + 2];
        y[4 * i + 3] = a * u.w + y[4 * i + 3];
    }
}
