// y[i] = the sum of texel i's four channels if `use` is set, else x[i]. Textures are outside the
// supported set; where `use` is zero no thread meets one.
extern "C" __global__ void texture(unsigned long long image, const float *x, float *y, int use) {
    int i = threadIdx.x;
    float a = x[i], b = 0.0f, c = 0.0f, d = 0.0f;
    if (use)
        asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
                     : "+f"(a), "+f"(b), "+f"(c), "+f"(d)
                     : "l"(image), "r"(i));
    y[i] = a + b + c + d;
}
