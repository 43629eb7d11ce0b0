// Totals by compare-and-swap: element i of `x` goes into `totals[i % kinds]`, which is a sum, a maximum, ….
// FORM 0: one thread per total, in order; 1: the guess loaded before, bits compared; 2: floats compared; 3: the guess
// loaded in each round; 4: a constant as first guess; 5: left early by a volatile guess; 6: two ways out of the loop's
// end; 7: left early by a plain guess; 8: with a count of tries; 9: in shared memory first; 10: only where x > 0.
// OP 0: sum; 1: maximum; 2: minimum; 3: product; 4: half of what is there and x (the order matters); 5: exclusive or
// of bits; 6: sum of squares; 7: difference.
// WRONG 1: once, without a loop; 2: what is written was computed from the first guess; 3: a plain store to another
// total by each thread; 4: twice what is there; 5: goes round while the swap succeeds; 6: expects the first guess for ever.
#ifndef Type
#define Type float
#endif
#ifndef OP
#define OP 0
#endif
#ifndef WRONG
#define WRONG 0
#endif

__device__ Type joined(Type there, Type x) {
#if OP == 0
    return there + x;
#elif OP == 1
    return there > x ? there : x;
#elif OP == 2
    return there < x ? there : x;
#elif OP == 3
    return there * x;
#elif OP == 4
    return there * Type(0.5) + x;
#elif OP == 5
    return there ^ x;
#elif OP == 6
    return x * x + there;
#else
    return there - x;
#endif
}

template <int bytes> struct Bits;
template <> struct Bits<4> { typedef unsigned type; };
template <> struct Bits<8> { typedef unsigned long long type; };
typedef Bits<sizeof(Type)>::type Word;

__device__ Word bits(Type x) { union { Type x; Word bits; } u; u.x = x; return u.bits; }
__device__ Type number(Word bits) { union { Type x; Word bits; } u; u.bits = bits; return u.x; }

__device__ void join(Type *place, Type x) {
    Word *word = (Word *)place;
#if WRONG == 1
    Word seen = *(volatile Word *)word;
    atomicCAS(word, seen, bits(joined(number(seen), x)));
#elif WRONG == 2
    Word old = *(volatile Word *)word, seen, next = bits(joined(number(old), x));
    do {
        seen = old;
        old = atomicCAS(word, seen, next);
    } while (old != seen);
#elif WRONG == 4
    Word old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, bits(joined(number(seen) + number(seen), x)));
    } while (old != seen);
#elif WRONG == 5
    Word old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, bits(joined(number(seen), x)));
    } while (old == seen);
#elif WRONG == 6
    Word first = *(volatile Word *)word, old;
    do {
        old = atomicCAS(word, first, bits(joined(number(first), x)));
    } while (old != first);
#elif FORM == 2
    Type old = *place, seen;
    do {
        seen = old;
        old = number(atomicCAS(word, bits(seen), bits(joined(seen, x))));
    } while (old != seen);
#elif FORM == 3
    Word seen;
    do {
        seen = *word;
    } while (atomicCAS(word, seen, bits(joined(number(seen), x))) != seen);
#elif FORM == 4
    Word old = 0, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, bits(joined(number(seen), x)));
    } while (old != seen);
#elif FORM == 5 || FORM == 7
#if FORM == 5
    Word seen = *(volatile Word *)word;
#else
    Word seen = *word;
#endif
#if OP == 1
    while (number(seen) < x) {
#else
    while (x < number(seen)) {
#endif
        Word old = atomicCAS(word, seen, bits(x));
        if (old == seen) break;
        seen = old;
    }
#elif FORM == 8
    Word old = *word, seen;
    int tries = 0;
    do {
        seen = old;
        old = atomicCAS(word, seen, bits(joined(number(seen), x)));
    } while (old != seen && ++tries < 1000);
#else
    Word old = *word, seen;
    for (;;) {
        seen = old;
        old = atomicCAS(word, seen, bits(joined(number(seen), x)));
        if (old == seen) break;
    }
#endif
}

extern "C" __global__ void totals(const Type *x, Type *totals, int count, int kinds) {
#if FORM == 0
    for (int i = threadIdx.x; i < count; i += kinds) totals[threadIdx.x] = joined(totals[threadIdx.x], x[i]);
#elif FORM == 9
    __shared__ Type own[8];
    if (threadIdx.x < 8) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) join(own + i % kinds, x[i]);
    __syncthreads();
    if (threadIdx.x < kinds) join(totals + threadIdx.x, own[threadIdx.x]);
#else
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
#if FORM == 10
        if (x[i] > 0)
#endif
        join(totals + i % kinds, x[i]);
#if WRONG == 3
        totals[(i + 1) % kinds] = 0;
#endif
    }
#endif
}

// Those that are above zero, in order.
extern "C" __global__ void positive(const Type *x, Type *totals, int count, int kinds) {
    for (int i = threadIdx.x; i < count; i += kinds)
        if (x[i] > 0) totals[threadIdx.x] = joined(totals[threadIdx.x], x[i]);
}
