// y[i] = x[i], and sum[0] += x[i]. With ASM by way of every instruction that only says how memory
// will be used, in what order, or how many registers are wanted.
extern "C" __global__ void hints(const float *x, float *y, float *sum) {
    int i = threadIdx.x;
#ifdef ASM
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i));
    asm volatile("prefetchu.L1 [%0];" ::"l"(x + i));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(x));
    asm volatile("pmevent 1;");
    float v, u;
    asm volatile("ldu.global.f32 %0, [%1];" : "=f"(v) : "l"(x + i));
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(u) : "l"(x + i), "l"(policy));
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("{.reg .pred p; isspacep.global p, %0; @!p trap; isspacep.shared p, %0; @p brkpt;}" ::"l"(x));
#ifdef NEWER
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    unsigned leader, chosen;
    asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p;}" : "=r"(leader), "=r"(chosen));
    y[32 + i] = __popc(__ballot_sync(0xffffffffu, chosen)) + (leader < 32 ? 0.0f : 1.0f);
#endif
    y[i] = 0.5f * u + 0.5f * v;
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(sum), "f"(v) : "memory");
    asm volatile("exit;");
#else
    y[i] = x[i];
    atomicAdd(sum, x[i]);
#ifdef NEWER
    y[32 + i] = 1.0f;
#endif
#endif
}
