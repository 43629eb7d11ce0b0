// Every one of 32 threads adds up all 32 elements by itself: the reference for sum_butterfly.
extern "C" __global__ void sum_each(const float *x, float *out) {
    float sum = 0.0f;
    for (int j = 0; j < 32; ++j) sum += x[j];
    out[threadIdx.x] = sum;
}
