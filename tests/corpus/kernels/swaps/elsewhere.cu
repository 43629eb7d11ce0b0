// Loops around a compare-and-swap that are no update. FORM 0: the word that the swap expects is another place's.
// FORM 1: the loop is left by a word whose place data choose.
extern "C" __global__ void elsewhere(const int *at, int *p, int *q) {
    if (FORM == 0) {
        int seen, old;
        do {
            seen = *(volatile int *)q;
            old = atomicCAS(p, seen, seen + 1);
        } while (old != seen);
    } else {
        int *mine = p + (at[threadIdx.x] & 3);
        int seen = *(volatile int *)mine, old;
        while (seen < 7) {
            old = atomicCAS(mine, seen, 7);
            if (old == seen) break;
            seen = old;
        }
    }
}
