// scan_in_place with one barrier per round: a thread may overwrite an element that its neighbour
// has yet to read.
extern "C" __global__ void scan_in_place(const float *x, float *out) {
    __shared__ float buffer[N];
    int i = threadIdx.x;
    buffer[i] = x[i];
    __syncthreads();
    for (int offset = 1; offset < N; offset *= 2) {
        float value = buffer[i];
        if (i >= offset) value += buffer[i - offset];
        // missing: __syncthreads();
        buffer[i] = value;
        __syncthreads();
    }
    out[i] = buffer[i];
}
