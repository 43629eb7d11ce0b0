// y = a x + y + garbage: adds a register that nobody has written.
extern "C" __global__ void saxpy_undefined_register(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = a * x[i] + y[i], sum;
        asm volatile("{ .reg .f32 garbage; add.f32 %0, %1, garbage; }" : "=f"(sum) : "f"(v));
        y[i] = sum;
    }
}
