// Appends x[i] to out wherever keep[i] is set, taking the place from an atomic counter: the order
// of the output depends on the schedule.
extern "C" __global__ void compact(const float *x, const int *keep, float *out) {
    __shared__ int count;
    int i = threadIdx.x;
    if (i == 0) count = 0;
    __syncthreads();
    if (keep[i]) out[atomicAdd(&count, 1)] = x[i];
}
