// N values ordered by the bucket of their keys, BUCKETS buckets of one width, by one block of N
// threads: smallest and largest key, sizes of the buckets, where they begin, and each value to its
// place. Values of one bucket keep their order. Where a value goes depends on the keys, so a case
// gives their contents. BEFORE is the state before the repair that OpenMM's sort needed: the buffer
// may be filled for the largest key while another thread has yet to read the smallest. SERIAL is
// one thread that does it all.
#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void bucket_sort(const unsigned *keys, const float *values, float *out) {
#ifdef SERIAL
    unsigned low = keys[0], high = keys[0];
    for (int i = 1; i < N; ++i) {
        low = min(low, keys[i]);
        high = max(high, keys[i]);
    }
    int place = 0;
    for (int b = 0; b < BUCKETS; ++b)
        for (int i = 0; i < N; ++i)
            if ((keys[i] - low) * BUCKETS / (high - low + 1) == b) out[place++] = values[i];
#else
    __shared__ unsigned buffer[N];
    __shared__ unsigned bucket_of[N];
    __shared__ unsigned ends[BUCKETS];
    int tid = threadIdx.x;
    unsigned key = keys[tid];

    buffer[tid] = key;
#if MUTANT != 1  // missing: clear the counters
    if (tid < BUCKETS) ends[tid] = 0;
#endif
    __syncthreads();
    for (int step = N / 2; step > 0; step /= 2) {
        if (tid < step) buffer[tid] = min(buffer[tid], buffer[tid + step]);
        __syncthreads();
    }
    unsigned low = buffer[0];
#ifndef BEFORE  // missing: the others may not have read the smallest
    __syncthreads();
#endif
    buffer[tid] = key;
    __syncthreads();
    for (int step = N / 2; step > 0; step /= 2) {
        if (tid < step) buffer[tid] = max(buffer[tid], buffer[tid + step]);
        __syncthreads();
    }
    unsigned high = buffer[0];

#if MUTANT == 3
    unsigned bucket = (key - low) * BUCKETS / (high - low);  // wrong: high - low + 1
#elif MUTANT == 4
    unsigned bucket = (key - low) * BUCKETS / (high + 1);  // wrong: high - low + 1
#else
    unsigned bucket = (key - low) * BUCKETS / (high - low + 1);
#endif
    bucket_of[tid] = bucket;
#if MUTANT == 5
    ends[bucket] += 1;  // wrong: atomicAdd
#else
    atomicAdd(&ends[bucket], 1);
#endif
#if MUTANT != 6  // missing: the others may not have counted
    __syncthreads();
#endif

    for (int step = 1; step < BUCKETS; step *= 2) {
        unsigned left = tid >= step && tid < BUCKETS ? ends[tid - step] : 0;
#if MUTANT != 2  // missing: the others may not have read
        __syncthreads();
#endif
        if (tid < BUCKETS) ends[tid] += left;
        __syncthreads();
    }

#if MUTANT == 7
    unsigned place = ends[bucket];  // wrong: ends[bucket - 1]
#else
    unsigned place = bucket == 0 ? 0 : ends[bucket - 1];
#endif
#if MUTANT == 8
    for (int i = 0; i <= tid; ++i)  // wrong: i < tid
#elif MUTANT == 9
    for (int i = N - 1; i > tid; --i)  // wrong: the earlier ones
#else
    for (int i = 0; i < tid; ++i)
#endif
        place += bucket_of[i] == bucket;
#if MUTANT == 10
    place = bucket == 0 ? 0 : ends[bucket - 1];  // missing: those before it in the bucket
#endif
    out[place] = values[tid];
#endif
}
