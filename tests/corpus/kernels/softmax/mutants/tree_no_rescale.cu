// softmax_online_tree that rescales only the left one of the two sums it combines.
extern "C" __global__ void softmax_online_tree(const float *x, float *y) {
    __shared__ float largest[N], sum[N];
    int i = threadIdx.x;
    largest[i] = x[i];
    sum[i] = 1.0f;
    __syncthreads();

    for (int half = N / 2; half > 0; half /= 2) {
        if (i < half) {
            float a = largest[i], b = largest[i + half];
            float m = fmaxf(a, b);
            largest[i] = m;
            sum[i] = sum[i] * expf(a - m) + sum[i + half];  // missing: * expf(b - m)
        }
        __syncthreads();
    }

    y[i] = expf(x[i] - largest[0]) / sum[0];
}
