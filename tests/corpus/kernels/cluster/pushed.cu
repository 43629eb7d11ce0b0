// y[i] = x[i] of the other CTA: each thread writes into the other CTA's shared memory. WRONG 1: the other may not have begun.
#include <cooperative_groups.h>
#ifndef WRONG
#define WRONG 0
#endif
namespace cg = cooperative_groups;

extern "C" __global__ void ref(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x ^ 64]; }

extern "C" __global__ void __cluster_dims__(2, 1, 1) opt(const float *x, float *y) {
    __shared__ float got[64];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    if (WRONG != 1) cluster.sync(); // missing: 1
    float *there = cluster.map_shared_rank(got, rank ^ 1);
    there[t] = x[rank * 64 + t];
    int other;
    asm("getctarank.u64 %0, %1;" : "=r"(other) : "l"(there));
    cluster.sync();
    y[(other ^ 1) * 64 + t] = got[t];
}
