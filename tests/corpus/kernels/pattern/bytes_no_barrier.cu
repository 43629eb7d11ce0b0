// Every thread adds one to its own byte of a word while other threads read whole words.
extern "C" __global__ void bytes(unsigned *out) {
    __shared__ __align__(4) unsigned char byte[N];
    int i = threadIdx.x;
    byte[i] = i;
    __syncthreads();
    byte[i] = i + 1;
    // missing: __syncthreads();
    if (i < N / 4) out[i] = reinterpret_cast<unsigned *>(byte)[i];
}
