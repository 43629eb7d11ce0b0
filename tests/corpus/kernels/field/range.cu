// Where each of N keys lies between the smallest (0) and the largest (1), by one block of THREADS
// threads. Smallest and largest are found one after the other in one buffer. BEFORE is the state
// before the repair that OpenMM's sort needed: the buffer may be filled for the largest while
// another thread has yet to read the smallest. With ENDS the two ends are stored instead, which
// only thread 0 does. SERIAL is one thread per key that looks at all of them.
#ifndef MUTANT
#define MUTANT 0
#endif
#define INF __int_as_float(0x7f800000)

extern "C" __global__ void range(const float *keys, float *out) {
#ifdef SERIAL
    float low = keys[0], high = keys[0];
    for (int i = 1; i < N; ++i) {
        low = fminf(low, keys[i]);
        high = fmaxf(high, keys[i]);
    }
#ifdef ENDS
    out[0] = low;
    out[1] = high;
#else
    out[threadIdx.x] = (keys[threadIdx.x] - low) / (high - low);
#endif
#else
    __shared__ float buffer[THREADS];
    int tid = threadIdx.x;
#if MUTANT == 1
    float low = 0.0f, high = -INF;  // wrong: low = INF
#else
    float low = INF, high = -INF;
#endif
#if MUTANT == 2
    for (int i = tid; i < N - 1; i += THREADS) {  // wrong: i < N
#else
    for (int i = tid; i < N; i += THREADS) {
#endif
        low = fminf(low, keys[i]);
        high = fmaxf(high, keys[i]);
    }

    buffer[tid] = low;
    __syncthreads();
#if MUTANT == 3
    for (int step = 2; step < THREADS; step *= 2) {  // wrong: step = 1
#else
    for (int step = 1; step < THREADS; step *= 2) {
#endif
        if (tid % (2 * step) == 0) buffer[tid] = fminf(buffer[tid], buffer[tid + step]);
#if MUTANT != 4  // missing: the others may not have written
        __syncthreads();
#endif
    }
#if MUTANT == 5
    low = buffer[tid];  // wrong: buffer[0]
#else
    low = buffer[0];
#endif
#ifndef BEFORE  // missing: the others may not have read
    __syncthreads();
#endif

#if MUTANT == 6
    buffer[tid] = low;  // wrong: high
#else
    buffer[tid] = high;
#endif
#if MUTANT != 7  // missing: the others may not have filled the buffer
    __syncthreads();
#endif
#if MUTANT == 8
    for (int step = 1; step < THREADS / 2; step *= 2) {  // wrong: step < THREADS
#else
    for (int step = 1; step < THREADS; step *= 2) {
#endif
#if MUTANT == 9
        if (tid % (2 * step) == 0) buffer[tid] = fminf(buffer[tid], buffer[tid + step]);  // wrong: fmaxf
#else
        if (tid % (2 * step) == 0) buffer[tid] = fmaxf(buffer[tid], buffer[tid + step]);
#endif
        __syncthreads();
    }
    high = buffer[0];

#ifdef ENDS
    if (tid == 0) {
        out[0] = low;
        out[1] = high;
    }
#else
    for (int i = tid; i < N; i += THREADS) out[i] = (keys[i] - low) / (high - low);
#endif
#endif
}
