// A row of 64 numbers is doubled, in ways that order bulk copies with other accesses or do not.
// RULE 1: loaded, and stored again by a bulk copy without a thread in between: no fence is needed.
// 2: loaded, doubled in place, fenced, stored.
// 3: the fence comes before the writes. 4: the fence is for global memory.
// 5: cleared first, and loaded over the zeros without a fence. 6: the same with a fence.
// 7: two copies with an object each, and a wait for the second alone.
// 8: one object in two phases, with a barrier in between. 9: the same, and the parity stays.
// 10: the object expects more bytes than it can count.
// 11: a second CTA reads what the first has stored.
// 12: two CTAs, a half each. 13: the thread that waits tells the others by a barrier.
// 14: the copy writes over a barrier object.
// 15: of copies of 128, 64 and 64 bytes an object expects 192: only the first is sure.
// 16: the same, and only the first is read.
#include "bulk.h"
extern "C" __global__ void ref(const float *x, float *y) { y[threadIdx.x] = 2.0f * x[threadIdx.x]; }

extern "C" __global__ void opt(const float *x, float *y) {
    __shared__ alignas(128) float s[64];
    __shared__ u64 full[2];
    int t = threadIdx.x;
    if (t == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        init_done();
    }
#if RULE == 5 || RULE == 6
    s[t] = 0.0f;
    if (RULE == 6) fence_proxy();
#endif
    __syncthreads();
#if RULE == 1
    if (t == 0) {
        expect(&full[0], 256);
        load(s, x, 256, &full[0]);
        wait(&full[0], 0);
        store(y, s, 256);
        commit();
        wait_all<0>();
    }
    __syncthreads();
    y[t] = 2.0f * y[t];
#elif RULE <= 4
    if (t == 0) {
        expect(&full[0], 256);
        load(s, x, 256, &full[0]);
    }
    wait(&full[0], 0);
    if (RULE == 3) fence_proxy();
    s[t] = 2.0f * s[t];
    if (RULE == 2) fence_proxy();
    if (RULE == 4) asm volatile("fence.proxy.async.global;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        store(y, s, 256);
        commit();
        wait_read<0>();
    }
#elif RULE == 5 || RULE == 6 || RULE == 13
    if (t == 0) {
        expect(&full[0], 256);
        load(s, x, 256, &full[0]);
        if (RULE == 13) wait(&full[0], 0);
    }
    if (RULE == 13) __syncthreads();
    else wait(&full[0], 0);
    y[t] = 2.0f * s[t];
#elif RULE == 7
    if (t == 0) {
        for (int i = 0; i < 2; i++) {
            expect(&full[i], 128);
            load(s + 32 * i, x + 32 * i, 128, &full[i]);
        }
    }
    wait(&full[1], 0);
    y[t] = 2.0f * s[t];
#elif RULE == 8 || RULE == 9
    for (int i = 0; i < 2; i++) {
        if (t == 0) {
            expect(&full[0], 128);
            load(s, x + 32 * i, 128, &full[0]);
        }
        wait(&full[0], RULE == 9 ? 0 : i);
        if (t < 32) y[32 * i + t] = 2.0f * s[t];
        __syncthreads();
    }
#elif RULE == 10
    if (t == 0) {
        expect(&full[0], 1 << 20);
        load(s, x, 256, &full[0]);
    }
    wait(&full[0], 0);
    y[t] = 2.0f * s[t];
#elif RULE == 11
    s[t] = 2.0f * x[t];
    fence_proxy();
    __syncthreads();
    if (blockIdx.x == 0 && t == 0) {
        store(y, s, 256);
        commit();
        wait_all<0>();
    }
    if (blockIdx.x == 1 && y[t] == 0.0f) y[64 + t] = 0.0f;
#elif RULE == 12
    int at = blockIdx.x * 32;
    if (t == 0) {
        expect(&full[0], 128);
        load(s, x + at, 128, &full[0]);
    }
    wait(&full[0], 0);
    if (t < 32) s[t] *= 2.0f;
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(y + at, s, 128);
        commit();
        wait_read<0>();
    }
#elif RULE == 14
    if (t == 0) {
        expect(&full[0], 16);
        load(full, x, 16, &full[0]);
        y[0] = s[0];
    }
#else
    if (t == 0) {
        expect(&full[0], 192);
        load(s, x, 128, &full[0]);
        load(s + 32, x + 32, 64, &full[0]);
        load(s + 48, x + 48, 64, &full[0]);
    }
    wait(&full[0], 0);
    if (RULE == 15 || t < 32) y[t] = 2.0f * s[t];
    else y[t] = 2.0f * x[t];
#endif
}
