// Swaps of words of which more is told or asked than what is updated.
// FORM 0: one thread does it all; 1: who has improved the largest says so; 2: the same, each with a word of its own;
// 3: sums and differences, from one guess; 4: half of the threads swap pairs, the others update halves of them;
// 5: with fences in the loop, and pauses that get longer.
// OF: of which form the one thread does what.
#ifndef OF
#define OF FORM
#endif

__device__ unsigned bits(float x) { return __float_as_uint(x); }
__device__ float number(unsigned bits) { return __uint_as_float(bits); }

__device__ void add(float *place, float x) {
    unsigned *word = (unsigned *)place, old = *word, seen;
#if FORM == 5
    unsigned pause = 8;
#endif
    do {
        seen = old;
#if FORM == 5
        __threadfence();
        __nanosleep(pause);
        pause *= 2;
#endif
        old = atomicCAS(word, seen, bits(number(seen) + x));
    } while (old != seen);
}

extern "C" __global__ void told(const float *x, float *words, float *won) {
#if FORM != 0
    int thread = threadIdx.x;
#endif
#if FORM == 0
    for (int i = 0; i < 32; i++) {
#if OF == 3
        if (i & 1) words[0] -= x[i];
        else words[0] += x[i];
#elif OF == 4
        words[i >> 4 & 1] += x[i];
#elif OF == 5
        words[0] += x[i];
#else
        float *word = words + (OF == 2 ? i : 0);
        won[i] = *word < x[i] ? 1.f : 0.f;
        *word = fmaxf(*word, x[i]);
#endif
    }
#elif FORM == 1 || FORM == 2
    unsigned *word = (unsigned *)(words + (FORM == 2 ? thread : 0)), seen = *(volatile unsigned *)word;
    bool improved = false;
    while (number(seen) < x[thread]) {
        unsigned old = atomicCAS(word, seen, bits(x[thread]));
        if (old == seen) {
            improved = true;
            break;
        }
        seen = old;
    }
    won[thread] = improved ? 1.f : 0.f;
#elif FORM == 3
    unsigned *word = (unsigned *)words, old = *word, seen;
    if (thread & 1) {
        do {
            seen = old;
            old = atomicCAS(word, seen, bits(number(seen) - x[thread]));
        } while (old != seen);
    } else {
        do {
            seen = old;
            old = atomicCAS(word, seen, bits(number(seen) + x[thread]));
        } while (old != seen);
    }
#elif FORM == 4
    unsigned long long *word = (unsigned long long *)words, old = *word, seen;
    int half = thread >> 4 & 1;
    if (thread & 1) {
        do {
            seen = old;
            float low = number((unsigned)seen), high = number((unsigned)(seen >> 32));
            if (half) high += x[thread];
            else low += x[thread];
            old = atomicCAS(word, seen, (unsigned long long)bits(high) << 32 | bits(low));
        } while (old != seen);
    } else {
        atomicAdd(words + half, x[thread]);
    }
#else
    add(words, x[thread]);
#endif
}
