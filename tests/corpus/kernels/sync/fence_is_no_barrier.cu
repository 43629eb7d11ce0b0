// rotate with a memory fence where the barrier should be: a fence orders a thread's own accesses,
// it does not wait for the others.
extern "C" __global__ void rotate(const float *x, float *y) {
    __shared__ float row[64];
    int i = threadIdx.x;
    row[i] = x[i];
    __syncthreads();
    float next = row[(i + 1) % 64];
    __threadfence_block();  // wrong: not a barrier
    row[i] = next;
    y[i] = row[i];
}
