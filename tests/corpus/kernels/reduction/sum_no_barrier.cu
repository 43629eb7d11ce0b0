// sum_shared without the barrier between two levels of the tree.
extern "C" __global__ void sum_shared(const TYPE *x, TYPE *out) {
    __shared__ TYPE buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    for (unsigned half = N / 2; half > 0; half /= 2) {
        if (i < half) buffer[i] += buffer[i + half];
        // missing: __syncthreads();
    }
    if (i == 0) out[0] = buffer[0];
}
