// y = a x + y with 16-byte loads and stores; up to three last elements one by one.
extern "C" __global__ void saxpy_float4(int n, float a, const float *__restrict__ x,
                                        float *__restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 u = reinterpret_cast<const float4 *>(x)[i];
        float4 v = reinterpret_cast<float4 *>(y)[i];
        v.x = a * u.x + v.x;
        v.y = a * u.y + v.y;
        v.z = a * u.z + v.z;
        v.w = a * u.w + v.w;
        reinterpret_cast<float4 *>(y)[i] = v;
    } else if (i < n / 4 + n % 4) {
        int last = n / 4 * 4 + (i - n / 4);
        y[last] = a * x[last] + y[last];
    }
}
