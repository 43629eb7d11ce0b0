// Sums of three coordinates, by `ref` from memory and by `fast` through a float4 in shared memory of
// which one field is never written. Launch: 64 threads. MUT 1: the fourth field is added, too.
#ifndef MUT
#define MUT 0
#endif

extern "C" __global__ void ref(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = x[3 * t] + x[3 * t + 1] + x[3 * t + 2];
}

extern "C" __global__ void fast(const float *x, float *y) {
    __shared__ float4 points[64];
    int t = threadIdx.x;
    points[t].x = x[3 * t];
    points[t].y = x[3 * t + 1];
    points[t].z = x[3 * t + 2];
    __syncthreads();
    float4 p = points[63 - t];
    float sum = p.x + p.y + p.z;
#if MUT == 1
    sum += p.w;  // wrong: nobody wrote it
#endif
    y[63 - t] = sum;
}
