// sum_shared that stops one level early: out[0] misses every element with an odd index.
extern "C" __global__ void sum_shared(const TYPE *x, TYPE *out) {
    __shared__ TYPE buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    for (unsigned half = N / 2; half > 1; half /= 2) {  // wrong: > 1
        if (i < half) buffer[i] += buffer[i + half];
        __syncthreads();
    }
    if (i == 0) out[0] = buffer[0];
}
