// Online softmax as a tree in shared memory: pairs (maximum, sum of exponentials) are combined
// by rescaling both sums to the common maximum. One block of N threads, N a power of two.
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
            sum[i] = sum[i] * expf(a - m) + sum[i + half] * expf(b - m);
        }
        __syncthreads();
    }

    y[i] = expf(x[i] - largest[0]) / sum[0];
}
