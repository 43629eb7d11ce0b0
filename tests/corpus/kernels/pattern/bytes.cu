// Every thread writes its own byte of a word: neighbouring bytes are no conflict. After a barrier
// one thread per word reads four bytes at once.
extern "C" __global__ void bytes(unsigned *out) {
    __shared__ __align__(4) unsigned char byte[N];
    int i = threadIdx.x;
    byte[i] = i;
    __syncthreads();
    if (i < N / 4) out[i] = reinterpret_cast<unsigned *>(byte)[i];
}
