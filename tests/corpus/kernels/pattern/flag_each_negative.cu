// Sets a flag of its own for every negative element.
extern "C" __global__ void flag_each_negative(const float *x, float *flag) {
    int i = threadIdx.x;
    if (x[i] < 0.0f) flag[i] = 1.0f;
}
