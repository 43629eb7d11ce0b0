// y[i], z[i] = sin x[i], cos x[i], computed together.
extern "C" __global__ void sine_and_cosine(const float *x, float *y, float *z) {
    int i = threadIdx.x;
    float s, c;
    sincosf(x[i], &s, &c);
    y[i] = s;
    z[i] = c;
}
