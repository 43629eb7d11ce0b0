// Each CTA moves an amount from one account to another, with the locks of both held.
// FORM 0: one thread, no locks; 1: the lock of the lower number is taken first.
// WRONG 1: the giver's lock is taken first; 2: only the giver's; 3: a barrier of two CTAs while a lock is held.
#ifndef WRONG
#define WRONG 0
#endif

__device__ void take(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
}

__device__ void set_free(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" __global__ void moves(const float *amounts, float *accounts, int *locks, int count) {
#if FORM == 0
    for (int at = 0; at < count; at++) {
        accounts[at] -= amounts[at];
        accounts[(at + 1) % count] += amounts[at];
    }
    for (int at = 0; at < count; at++) locks[at] = 0;
#else
    int from = blockIdx.x;
    int to = (from + 1) % count;
#if WRONG == 1
    int first = from, second = to;
#else
    int first = min(from, to), second = max(from, to);
#endif
    take(locks + first);
#if WRONG != 2
    take(locks + second);
#endif
    accounts[from] -= amounts[from];
    accounts[to] += amounts[from];
#if WRONG != 2
    set_free(locks + second);
#endif
    set_free(locks + first);
#endif
}
