// Inclusive prefix sum by Blelloch: up-sweep, down-sweep to the exclusive sum, plus the element.
// One block of N / 2 threads, N a power of two.
extern "C" __global__ void scan_blelloch(const float *x, float *out) {
    __shared__ float tree[N];
    int i = threadIdx.x;
    tree[2 * i] = x[2 * i];
    tree[2 * i + 1] = x[2 * i + 1];

    int stride = 1;
    for (int active = N / 2; active > 0; active /= 2, stride *= 2) {
        __syncthreads();
        if (i < active) tree[stride * (2 * i + 2) - 1] += tree[stride * (2 * i + 1) - 1];
    }
    if (i == 0) tree[N - 1] = 0.0f;
    for (int active = 1; active < N; active *= 2) {
        stride /= 2;
        __syncthreads();
        if (i < active) {
            int left = stride * (2 * i + 1) - 1, right = stride * (2 * i + 2) - 1;
            float sum = tree[left];
            tree[left] = tree[right];
            tree[right] += sum;
        }
    }
    __syncthreads();
    out[2 * i] = tree[2 * i] + x[2 * i];
    out[2 * i + 1] = tree[2 * i + 1] + x[2 * i + 1];
}
