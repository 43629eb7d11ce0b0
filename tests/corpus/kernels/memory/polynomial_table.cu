// The same polynomial with its coefficients in constant memory, power by power.
__constant__ float coefficient[4] = {1.0f, 0.5f, 0.25f, 0.125f};

extern "C" __global__ void polynomial_table(const float *x, float *y, int degree) {
    int i = threadIdx.x;
    float sum = 0.0f, power = 1.0f;
    for (int k = 0; k <= degree; ++k) {
        sum += coefficient[k] * power;
        power *= x[i];
    }
    y[i] = sum;
}
