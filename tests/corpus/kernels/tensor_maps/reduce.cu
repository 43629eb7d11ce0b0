// Columns of 4 × 64 elements joined by four CTAs: with atomics, and with bulk copies that change elements
// (`cp.reduce.async.bulk`). KIND: the operation and type.
// WRONG 1: a thread adds as well, without a proxy between. 2: another CTA takes another operation.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef KIND
#define KIND 0
#endif
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "../bulk/bulk.h"
#if KIND == 0
typedef float T;
#define OP "add.f32"
#elif KIND == 1
typedef int T;
#define OP "max.s32"
#elif KIND == 2
typedef half T;
#define OP "add.noftz.f16"
#elif KIND == 3
typedef unsigned T;
#define OP "xor.b32"
#elif KIND == 4
typedef double T;
#define OP "add.f64"
#elif KIND == 5
typedef __nv_bfloat16 T;
#define OP "min.bf16"
#endif
__device__ void join(T *to, T value) {
#if KIND == 1
    atomicMax(to, value);
#elif KIND == 3
    atomicXor(to, value);
#elif KIND == 5
    *to = value;
#else
    atomicAdd(to, value);
#endif
}
extern "C" __global__ void ref(const T *x, T *y) {
#if KIND == 5
    T v = x[blockIdx.x * 64 + threadIdx.x];
    for (int other = 0; other < 4; other++)
        if (blockIdx.x == 0) v = __hmin(v, x[other * 64 + threadIdx.x]);
    if (blockIdx.x == 0) y[threadIdx.x] = __hmin(y[threadIdx.x], v);
#else
    join(&y[threadIdx.x], x[blockIdx.x * 64 + threadIdx.x]);
#endif
}

extern "C" __global__ void opt(const T *x, T *y) {
    __shared__ alignas(16) T row[64];
    row[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    fence_proxy();
    __syncthreads();
    if (WRONG == 1 && threadIdx.x == 5) join(&y[5], x[5]); // wrong: 1
    if (threadIdx.x == 0) {
        if (WRONG == 2 && blockIdx.x == 1) // wrong: 2
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%0], [%1], %2;" ::"l"(y),
                         "r"(sp(row)), "r"((u32)sizeof row)
                         : "memory");
        else
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." OP " [%0], [%1], %2;" ::"l"(y),
                         "r"(sp(row)), "r"((u32)sizeof row)
                         : "memory");
        commit();
        wait_read<0>();
    }
}
