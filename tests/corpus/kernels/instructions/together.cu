// Exchanges among the lanes that come together; with ASM as PTX before 6.0 writes them, without it the same with a mask of
// all lanes. What ASM makes is kept in handwritten/, for an older target than today's compilers have.
extern "C" __global__ void together(const float *x, const int *count, float *y, int *z) {
    int i = threadIdx.x;
    float v = x[i];
    for (int by = 16; by; by >>= 1) {
        float r;
#ifdef ASM
        asm volatile("shfl.bfly.b32 %0, %1, %2, 31;" : "=f"(r) : "f"(v), "r"(by));
#else
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=f"(r) : "f"(v), "r"(by));
#endif
        v += r;
    }
    y[i] = v;
    int inside, all, any, same, ballot;
    float up;
#ifdef ASM
    asm volatile("{.reg .pred p; shfl.up.b32 %0|p, %2, 3, 0; selp.b32 %1, 1, 0, p;}" : "=f"(up), "=r"(inside) : "f"(x[i]));
    asm volatile("{.reg .pred p, q; setp.gt.s32 p, %4, 3; vote.all.pred q, p; selp.b32 %0, 1, 0, q; vote.any.pred q, p;"
                 "selp.b32 %1, 1, 0, q; vote.uni.pred q, !p; selp.b32 %2, 1, 0, q; vote.ballot.b32 %3, p;}"
                 : "=r"(all), "=r"(any), "=r"(same), "=r"(ballot) : "r"(count[i]));
#else
    asm volatile("{.reg .pred p; shfl.sync.up.b32 %0|p, %2, 3, 0, -1; selp.b32 %1, 1, 0, p;}" : "=f"(up), "=r"(inside) : "f"(x[i]));
    all = __all_sync(~0u, count[i] > 3);
    any = __any_sync(~0u, count[i] > 3);
    same = all || !any;
    ballot = __ballot_sync(~0u, count[i] > 3);
#endif
    y[32 + i] = up;
    z[i] = inside + 2 * all + 4 * any + 8 * same;
    z[32 + i] = ballot;
}
