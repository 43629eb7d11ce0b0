// M[tid] = tid / 2; x = M[tid]; M[x] = ...: now two threads store through the same x.
extern "C" __global__ void half_slot(const int *in, int *out) {
    __shared__ volatile int M[N];
    int tid = threadIdx.x;
    M[tid] = tid / 2;  // wrong: / 2
    int x = M[tid];
    M[x] = in[tid];
    out[tid] = M[tid];
}
