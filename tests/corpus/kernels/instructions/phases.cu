// 32 threads hand numbers on through shared memory behind an mbarrier. Half of them drop out after
// the first phase, so that the second needs only the others.
extern "C" __global__ void phases(const float *x, float *y, int *pending) {
    int i = threadIdx.x;
#ifdef ASM
    __shared__ float s[32];
    __shared__ unsigned long long object;
    unsigned at = (unsigned)__cvta_generic_to_shared(&object);
    if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at) : "memory");
    __syncthreads();
    s[i] = x[i];
    unsigned long long state;
    if (i < 16)
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    else
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    asm volatile("{.reg .pred p; w%=: mbarrier.test_wait.shared.b64 p, [%0], %1; @!p bra w%=;}" ::"r"(at), "l"(state) : "memory");
    y[i] = s[31 - i];
    if (i < 16) {
        s[31 - i] = 2.0f * x[i];
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
        asm volatile("{.reg .pred p; w%=: mbarrier.test_wait.shared.b64 p, [%0], %1; @!p bra w%=;}" ::"r"(at), "l"(state) : "memory");
        y[i] += s[16 + i];
        int left;
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
        pending[i] = left >= 1 && left <= 16;
    }
    __syncthreads();
    if (i == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
#else
    y[i] = x[31 - i] + (i < 16 ? 2.0f * x[15 - i] : 0.0f);
    if (i < 16) pending[i] = 1;
#endif
}
