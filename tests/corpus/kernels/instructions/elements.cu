// Atomics on vectors and on packed halves: with ASM whole, without it element by element. y and w keep sums, z what was
// there before.
#include <cuda_fp16.h>

extern "C" __global__ void elements(const float *x, const half *h, float *y, half *w, float *z) {
    int i = threadIdx.x;
    const float *own = x + 4 * i;
    float *to = y + 4 * (i / 2);
    half2 both = reinterpret_cast<const half2 *>(h)[i];
    half *sums = w + 2 * (i / 4);
    float *old = z + 2 * i;
#ifdef ASM
    asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;");
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(own[0]), "f"(own[1]), "f"(own[2]), "f"(own[3]));
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(sums), "r"(reinterpret_cast<unsigned &>(both)));
    float a, b;
    asm volatile("atom.global.v2.f32.add {%0, %1}, [%2], {%3, %4};" : "=f"(a), "=f"(b) : "l"(z + 64 + 2 * i), "f"(own[0]), "f"(own[1]));
    old[0] = a;
    old[1] = b;
    unsigned pair;
    asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(pair) : "l"(w + 32 + 2 * i), "r"(reinterpret_cast<unsigned &>(both)));
    reinterpret_cast<unsigned *>(w + 96)[i] = pair;
#else
    for (int k = 0; k < 4; ++k) atomicAdd(to + k, own[k]);
    for (int k = 0; k < 2; ++k) {
        atomicAdd(sums + k, h[2 * i + k]);
        old[k] = atomicAdd(z + 64 + 2 * i + k, own[k]);
        w[96 + 2 * i + k] = atomicAdd(w + 32 + 2 * i + k, h[2 * i + k]);
    }
#endif
}
