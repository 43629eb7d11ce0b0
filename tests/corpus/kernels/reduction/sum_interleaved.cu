// out[0] = sum of N elements by the first reduction of Harris's slides: strides grow, threads
// are picked by a remainder. One block of N threads.
extern "C" __global__ void sum_interleaved(const TYPE *x, TYPE *out) {
    __shared__ TYPE buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    for (unsigned stride = 1; stride < N; stride *= 2) {
        if (i % (2 * stride) == 0) buffer[i] += buffer[i + stride];
        __syncthreads();
    }
    if (i == 0) out[0] = buffer[0];
}
