// Thread 0 copies two halves of a row to shared memory, in two phases of one barrier object that it alone
// arrives at; bytes are expected, and counted, in every way there is.
#include "../bulk/bulk.h"
extern "C" __global__ void bytes(const float *x, float *y) {
    int i = threadIdx.x;
#ifdef ASM
    __shared__ alignas(16) float s[64];
    __shared__ u64 object;
    u32 at = sp(&object);
    if (i == 0) {
        init(&object, 3);
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" ::"l"(x) : "memory");
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 96;" ::"r"(at) : "memory");
        asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                         sp(s)),
                     "l"(x), "r"(at)
                     : "memory");
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(at) : "memory");
        expect(&object, 48);
        asm volatile("mbarrier.arrive_drop.release.cta.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
        arrive(&object);
        wait(&object, 0);
        load(s + 32, x + 32, 128, &object);
        asm volatile("mbarrier.arrive_drop.expect_tx.release.cta.shared::cta.b64 _, [%0], 128;" ::"r"(at) : "memory");
        arrive(&object);
        wait(&object, 1);
    }
    __syncthreads();
    float sum = s[i] + s[63 - i];
    __syncthreads();
    s[i] = sum;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (i == 0) {
        store(y, s, 256);
        commit();
        wait_all<0>();
    }
#else
    y[i] = x[i] + x[63 - i];
#endif
}
