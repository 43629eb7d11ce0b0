// Thread 0 looks at a word and then sets it; thread 1 sets it to the same number.
// FORM 0: thread 0 alone; 1: what it finds depends on who comes first; 2: the same by an update; 3: with a barrier
// between looking and setting; 4: it sets another number before.
extern "C" __global__ void one_value(float *word, float *found) {
    int thread = threadIdx.x;
    if (thread == 0) {
#if FORM == 2
        found[0] = atomicAdd(word, 1.f);
#elif FORM == 4
        found[0] = 1.f;
        word[0] = 3.f;
#else
        found[0] = word[0];
#endif
    }
#if FORM == 3
    __syncthreads();
#endif
    if (thread == 0) *(volatile float *)word = 5.f;
#if FORM != 0
    if (thread == 1) *(volatile float *)word = 5.f;
#endif
}
