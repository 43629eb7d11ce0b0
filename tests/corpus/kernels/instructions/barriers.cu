// 96 threads. y[i] is the sum of what the neighbours 32 and 64 further on wrote before barriers of
// the plainer kind; count[i] is in how many threads flag is set, by a reduction at a barrier.
extern "C" __global__ void barriers(const float *x, const int *flag, float *y, int *count, int *any) {
    __shared__ float s[96];
    int i = threadIdx.x;
    s[i] = x[i];
#ifdef ASM
    int set = flag[i], sum, all;
    if (i < 64) {
        asm volatile("barrier.sync.aligned 1, 64;" ::: "memory");
        // The last warp hands its numbers over at barrier 2 and does not wait.
        asm volatile("barrier.sync 2, 96;" ::: "memory");
    } else {
        asm volatile("barrier.arrive 2, 96;" ::: "memory");
    }
    float v = i < 64 ? s[(i + 32) % 96] + s[(i + 64) % 96] : 0.0f;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 3, 96, p;}" : "=r"(sum) : "r"(set) : "memory");
    int again;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; barrier.red.popc.u32 %0, 4, 96, !p;}" : "=r"(again) : "r"(set) : "memory");
    asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.red.and.pred q, 0, !p; selp.u32 %0, 1, 0, q;}"
                 : "=r"(all)
                 : "r"(set)
                 : "memory");
    int some;
    asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.or.pred q, 5, 96, p; selp.u32 %0, 1, 0, q;}"
                 : "=r"(some)
                 : "r"(set)
                 : "memory");
    y[i] = v;
    count[i] = sum == 96 - again ? sum : -1;
    any[i] = all == 0 && some == 1;
#else
    __shared__ int total;
    if (i == 0) total = 0;
    __syncthreads();
    y[i] = i < 64 ? s[(i + 32) % 96] + s[(i + 64) % 96] : 0.0f;
    if (flag[i] != 0) atomicAdd(&total, 1);
    __syncthreads();
    count[i] = total;
    any[i] = total > 0;
#endif
}
