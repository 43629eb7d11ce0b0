// The sum of N values by one block: the seven versions of Harris's tutorial on reduction, chosen by
// VERSION. 1 to 3 have a thread per value, 4 to 6 one per two, 7 one per 2 * ROUNDS.
// From 5 on the last 32 partial sums are added by one warp: with REPAIR 0 as the tutorial does it,
// trusting `volatile` and a warp in step; with 1 by __syncwarp, with 2 by shuffles. Version 0 is
// one thread that adds up everything.
#ifndef MUTANT
#define MUTANT 0
#endif
#ifndef REPAIR
#define REPAIR 0
#endif
#if VERSION <= 3
#define THREADS N
#elif VERSION <= 6
#define THREADS (N / 2)
#else
#define THREADS (N / 2 / ROUNDS)
#endif

#if VERSION < 5
#elif REPAIR == 0
static __device__ void last_warp(volatile float *sums, int tid, float *out) {
    sums[tid] += sums[tid + 32];
    sums[tid] += sums[tid + 16];
    sums[tid] += sums[tid + 8];
    sums[tid] += sums[tid + 4];
    sums[tid] += sums[tid + 2];
    sums[tid] += sums[tid + 1];
    if (tid == 0) *out = sums[0];
}
#elif REPAIR == 1
static __device__ void last_warp(float *sums, int tid, float *out) {
    float sum = sums[tid];
#if MUTANT == 16
    for (int s = 16; s > 0; s >>= 1) {  // wrong: starts at 32
#else
    for (int s = 32; s > 0; s >>= 1) {
#endif
#if MUTANT == 12
        sum += sums[tid ^ s];  // no fault: every lane gets the sum
#elif MUTANT == 13
        sum += sums[tid + s + 1];  // wrong: tid + s
#else
        sum += sums[tid + s];
#endif
#if MUTANT != 10  // missing: the others may not have read yet
        __syncwarp();
#endif
        sums[tid] = sum;
#if MUTANT != 11  // missing: the others may not have written yet
        __syncwarp();
#endif
    }
#if MUTANT == 14
    if (tid == 1) *out = sum;  // wrong: tid == 0
#elif MUTANT == 15
    *out = sum;  // missing: if (tid == 0)
#else
    if (tid == 0) *out = sum;
#endif
}
#else
static __device__ void last_warp(float *sums, int tid, float *out) {
#if MUTANT == 23
    float sum = sums[tid];  // missing: + sums[tid + 32]
#else
    float sum = sums[tid] + sums[tid + 32];
#endif
#if MUTANT == 20
    for (int s = 16; s > 1; s >>= 1)  // wrong: s > 0
#else
    for (int s = 16; s > 0; s >>= 1)
#endif
#if MUTANT == 21
        sum += __shfl_up_sync(0xffffffff, sum, s);  // wrong: down
#elif MUTANT == 22
        sum += __shfl_down_sync(0xffffffff, sum, s, 16);  // wrong: width 32
#else
        sum += __shfl_down_sync(0xffffffff, sum, s);
#endif
#if MUTANT == 24
    if (tid == 31) *out = sum;  // wrong: tid == 0
#elif MUTANT == 25
    *out = sum;  // missing: if (tid == 0)
#else
    if (tid == 0) *out = sum;
#endif
}
#endif

#if VERSION >= 6
template <int threads>
static __device__ void unrolled(float *sums, int tid) {
    if (threads >= 512) { if (tid < 256) sums[tid] += sums[tid + 256]; __syncthreads(); }
    if (threads >= 256) { if (tid < 128) sums[tid] += sums[tid + 128]; __syncthreads(); }
#if MUTANT == 30
    if (threads >= 128) { if (tid < 32) sums[tid] += sums[tid + 64]; __syncthreads(); }  // wrong: tid < 64
#elif MUTANT == 31
    if (threads >= 128) { if (tid < 64) sums[tid] += sums[tid + 64]; }  // missing: a barrier
#elif MUTANT == 32
    if (threads > 128) { if (tid < 64) sums[tid] += sums[tid + 64]; __syncthreads(); }  // wrong: >=
#else
    if (threads >= 128) { if (tid < 64) sums[tid] += sums[tid + 64]; __syncthreads(); }
#endif
}
#endif

extern "C" __global__ void reduce(const float *in, float *out) {
    int tid = threadIdx.x;
#if VERSION == 0
    float sum = 0.0f;
    if (tid == 0) {
        for (int i = 0; i < N; ++i) sum += in[i];
        *out = sum;
    }
#else
    __shared__ float sums[THREADS];
#if VERSION <= 3
    sums[tid] = in[tid];
#elif VERSION <= 6
#if MUTANT == 1
    sums[tid] = in[tid] + in[tid + THREADS - 1];  // wrong: tid + THREADS
#elif MUTANT == 2
    sums[tid] = in[tid];  // missing: + in[tid + THREADS]
#elif MUTANT == 3
    sums[tid] = in[2 * tid] + in[2 * tid + 2];  // wrong: 2 * tid + 1
#else
    sums[tid] = in[tid] + in[tid + THREADS];
#endif
#else
#if MUTANT == 1
    float sum = 1.0f;  // wrong: 0
#else
    float sum = 0.0f;
#endif
#if MUTANT == 2
    for (int i = tid; i < N; i += THREADS) sum += in[i] + in[i + THREADS];  // wrong: 2 * THREADS
#elif MUTANT == 3
    for (int i = tid; i < N - 2 * THREADS; i += 2 * THREADS) sum += in[i] + in[i + THREADS];  // wrong: N
#elif MUTANT == 4
    for (int i = tid; i < N; i += 2 * THREADS) sum = in[i] + in[i + THREADS];  // wrong: +=
#else
    for (int i = tid; i < N; i += 2 * THREADS) sum += in[i] + in[i + THREADS];
#endif
    sums[tid] = sum;
#endif
#if MUTANT != 5  // missing: a barrier between writing and reading the sums
    __syncthreads();
#endif

#if VERSION == 1
#if MUTANT == 6
    for (int s = 1; s < THREADS / 2; s *= 2) {  // wrong: s < THREADS
#elif MUTANT == 7
    for (int s = 2; s < THREADS; s *= 2) {  // wrong: s = 1
#else
    for (int s = 1; s < THREADS; s *= 2) {
#endif
#if MUTANT == 4
        if (tid % (2 * s) == 0) sums[tid] += sums[s];  // wrong: tid + s
#else
        if (tid % (2 * s) == 0) sums[tid] += sums[tid + s];
#endif
#if MUTANT != 40  // missing: a barrier between the levels
        __syncthreads();
#endif
    }
#elif VERSION == 2
#if MUTANT == 6
    for (int s = 1; s < THREADS / 2; s *= 2) {  // wrong: s < THREADS
#elif MUTANT == 7
    for (int s = 2; s < THREADS; s *= 2) {  // wrong: s = 1
#else
    for (int s = 1; s < THREADS; s *= 2) {
#endif
        int index = 2 * s * tid;
#if MUTANT == 8
        sums[index] += sums[index + s];  // missing: if (index < THREADS)
#elif MUTANT == 9
        if (index <= THREADS) sums[index] += sums[index + s];  // wrong: <
#elif MUTANT == 4
        if (index < THREADS) sums[tid] += sums[index + s];  // wrong: sums[index]
#else
        if (index < THREADS) sums[index] += sums[index + s];
#endif
#if MUTANT != 40  // missing: a barrier between the levels
        __syncthreads();
#endif
    }
#elif VERSION <= 5
#if VERSION == 5
    for (int s = THREADS / 2; s > 32; s >>= 1) {
#elif MUTANT == 6
    for (int s = THREADS / 2; s > 1; s >>= 1) {  // wrong: s > 0
#elif MUTANT == 7
    for (int s = THREADS / 4; s > 0; s >>= 1) {  // wrong: THREADS / 2
#else
    for (int s = THREADS / 2; s > 0; s >>= 1) {
#endif
#if MUTANT == 8
        if (tid < s) sums[tid + s] += sums[tid];  // wrong: the other way round
#elif MUTANT == 9
        if (tid < s) sums[tid] += sums[tid + s + 1];  // wrong: tid + s
#elif MUTANT == 4
        if (tid < s) sums[tid] += sums[s];  // wrong: tid + s
#else
        if (tid < s) sums[tid] += sums[tid + s];
#endif
#if MUTANT != 40  // missing: a barrier between the levels
        __syncthreads();
#endif
    }
#else
    unrolled<THREADS>(sums, tid);
#endif

#if VERSION <= 4
#if MUTANT == 41
    if (tid == 1) *out = sums[tid];  // wrong: tid == 0
#elif MUTANT == 42
    *out = sums[0];  // missing: if (tid == 0)
#else
    if (tid == 0) *out = sums[0];
#endif
#elif MUTANT == 43
    last_warp(sums, tid, out);  // missing: if (tid < 32)
#else
    if (tid < 32) last_warp(sums, tid, out);
#endif
#endif
}
