// M[tid] = tid; x = M[tid]; M[x] = ...: the store through x hits the thread's own slot, which a
// static race checker cannot know. volatile keeps the compiler from forwarding tid to x.
extern "C" __global__ void own_slot(const int *in, int *out) {
    __shared__ volatile int M[N];
    int tid = threadIdx.x;
    M[tid] = tid;
    int x = M[tid];
    M[x] = in[tid];
    out[tid] = M[tid];
}
