// Where each of BUCKETS buckets ends: the running sums of their sizes, in place, by one block of
// THREADS threads that takes THREADS sizes at a time. BEFORE is the state before the repair that
// OpenMM's sort needed: a thread may fill the buffer for the next piece while another has yet to
// read the total of this one. SERIAL is one thread that adds up.
#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void bucket_positions(unsigned *sizes) {
#ifdef SERIAL
    unsigned end = 0;
    for (int bucket = 0; bucket < BUCKETS; ++bucket) {
        end += sizes[bucket];
        sizes[bucket] = end;
    }
#else
    __shared__ unsigned piece[THREADS];
    int tid = threadIdx.x;
    unsigned earlier = 0;
#if MUTANT == 1
    for (int start = 0; start < BUCKETS - THREADS; start += THREADS) {  // wrong: start < BUCKETS
#else
    for (int start = 0; start < BUCKETS; start += THREADS) {
#endif
        int bucket = start + tid;
#if !defined(BEFORE) && MUTANT != 13  // missing: the others may not have read the last total
        __syncthreads();
#endif
#if MUTANT == 2
        piece[tid] = bucket <= BUCKETS ? sizes[bucket] : 0;  // wrong: <
#elif MUTANT == 3
        piece[tid] = bucket < BUCKETS ? sizes[bucket] : 1;  // no fault: nothing is to the right of these
#else
        piece[tid] = bucket < BUCKETS ? sizes[bucket] : 0;
#endif
#if MUTANT != 4  // missing: the others may not have filled the buffer
        __syncthreads();
#endif
#if MUTANT == 5
        for (int step = 1; step < THREADS / 2; step *= 2) {  // wrong: step < THREADS
#else
        for (int step = 1; step < THREADS; step *= 2) {
#endif
#if MUTANT == 6
            unsigned left = tid > step ? piece[tid - step] : 0;  // wrong: >=
#elif MUTANT == 7
            unsigned left = tid >= step ? piece[tid - step] : 1;  // wrong: 0
#else
            unsigned left = tid >= step ? piece[tid - step] : 0;
#endif
#if MUTANT != 8  // missing: the others may not have read
            __syncthreads();
#endif
            piece[tid] += left;
#if MUTANT != 9  // missing: the others may not have written
            __syncthreads();
#endif
        }
#if MUTANT == 10
        sizes[bucket] = earlier + piece[tid];  // missing: if (bucket < BUCKETS)
#else
        if (bucket < BUCKETS) sizes[bucket] = earlier + piece[tid];
#endif
#if MUTANT == 11
        earlier = piece[THREADS - 1];  // wrong: +=
#elif MUTANT == 12
        earlier += piece[THREADS - 2];  // wrong: THREADS - 1
#else
        earlier += piece[THREADS - 1];
#endif
#if MUTANT == 13
        __syncthreads();  // no fault: here as good as at the start
#endif
    }
#endif
}
