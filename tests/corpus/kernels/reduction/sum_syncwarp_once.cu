// The last warp with one __syncwarp per step instead of two: a lane may still read the old value
// of a neighbour that has already written its new one.
__device__ void step(float *buffer, unsigned i, unsigned distance) {
    float sum = buffer[i] + buffer[i + distance];
    // missing: __syncwarp();
    buffer[i] = sum;
    __syncwarp();
}

extern "C" __global__ void sum_syncwarp(const float *x, float *out) {
    __shared__ float buffer[N];
    unsigned i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    for (unsigned half = N / 2; half > 32; half /= 2) {
        if (i < half) buffer[i] += buffer[i + half];
        __syncthreads();
    }
    if (i < 32)
        for (unsigned distance = 32; distance > 0; distance /= 2) step(buffer, i, distance);
    if (i == 0) out[0] = buffer[0];
}
