// The largest of 64 floats and its place: by one thread, and by a tree that exchanges whole records
// through shared memory, as CUB does. The record has a flag and padding behind it; only the first record
// of each round has its flag set. Launch: 1 and 64 threads. MUT 1: the tree believes the flag.
#ifndef MUT
#define MUT 0
#endif

struct Record {
    float value;
    int place;
    unsigned char flag;
};

extern "C" __global__ void ref(const float *x, float *y) {
    float best = x[0];
    for (int i = 1; i < 64; ++i) best = x[i] > best ? x[i] : best;
    y[0] = best;
}

extern "C" __global__ void fast(const float *x, float *y) {
    __shared__ Record records[64];
    int t = threadIdx.x;
    records[t].value = x[t];
    records[t].place = t;
    if (t == 0) records[t].flag = 1;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        Record mine, other;
        if (t < step) {
            mine = records[t];
            other = records[t + step];
        }
        __syncthreads();
#if MUT == 1
        if (t < step) records[t] = other.flag == 1 || other.value > mine.value ? other : mine;  // wrong: the flag
#else
        if (t < step) records[t] = other.value > mine.value ? other : mine;
#endif
        __syncthreads();
    }
    if (t == 0) y[0] = records[0].value;
}
