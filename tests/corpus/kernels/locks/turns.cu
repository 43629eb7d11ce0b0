// The threads of several CTAs take one lock in turn, each for itself, also those of one warp.
// FORM 0: one thread adds up everything; 1: `while (!done) if (try) …`; 2: the loop ends, and what follows is done
// with the lock held; 3: maxima; 4: a maximum and a sum that is scaled by it; 5: a lock in shared memory, and one
// atomic addition.
// WRONG 1: `c = 2c + x`; 2: no fence; 3: an element of the CTA's own without the lock; 4: the lock waits for the
// barrier of the CTA.
#ifndef WRONG
#define WRONG 0
#endif

__device__ void change(float *c, float x) {
#if FORM == 3
    c[0] = fmaxf(c[0], x);
#elif FORM == 4
    float most = fmaxf(c[0], x);
    c[1] = c[1] * expf(c[0] - most) + expf(x - most);
    c[0] = most;
#elif WRONG == 1
    c[0] = 2.0f * c[0] + x;
#else
    c[0] = c[0] + x;
#endif
}

extern "C" __global__ void turns(const float *a, float *c, int *lock, int count) {
#if FORM == 0
    for (int at = 0; at < count; at++) {
#if MOST == 1
        c[0] = fmaxf(c[0], a[at]);
#elif MOST == 2
        float most = fmaxf(c[0], a[at]);
        c[1] = c[1] * expf(c[0] - most) + expf(a[at] - most);
        c[0] = most;
#else
        c[0] += a[at];
#endif
    }
    lock[0] = 0;
#elif FORM == 5
    __shared__ int own;
    __shared__ float sum;
    if (threadIdx.x == 0) {
        own = 0;
        sum = 0.0f;
    }
    __syncthreads();
    float x = a[blockIdx.x * blockDim.x + threadIdx.x];
    bool done = false;
    while (!done) {
        if (atomicCAS(&own, 0, 1) == 0) {
#if WRONG != 2
            __threadfence_block();
#endif
            sum += x;
#if WRONG == 4
            __syncthreads();
#endif
#if WRONG != 2
            __threadfence_block();
#endif
            atomicExch(&own, 0);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(c, sum);
#else
    float x = a[blockIdx.x * blockDim.x + threadIdx.x];
#if FORM == 2
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    change(c, x);
    __threadfence();
    atomicExch(lock, 0);
#else
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
#if WRONG != 2
            __threadfence();
#endif
            change(c, x);
#if WRONG != 2
            __threadfence();
#endif
            atomicExch(lock, 0);
            done = true;
        }
    }
#if WRONG == 3
    if (threadIdx.x == 0 && blockIdx.x == 0) c[0] += 1.0f;
#endif
#endif
#endif
}
