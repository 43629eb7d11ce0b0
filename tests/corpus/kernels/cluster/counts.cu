// How often each of 4 values occurs among 8: a loop over all, and a cluster of two CTAs, each with half of the counters, that
// add to one another's. WRONG 1: a CTA writes its counters out before the other has added. 2: the other half of the counters.
#include <cooperative_groups.h>
#ifndef WRONG
#define WRONG 0
#endif
namespace cg = cooperative_groups;

extern "C" __global__ void ref(const unsigned char *x, int *counts) {
    int count = 0;
    for (int i = 0; i < 8; i++) count += (x[i] & 3) == threadIdx.x;
    counts[threadIdx.x] = count;
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) opt(const unsigned char *x, int *counts) {
    __shared__ int own[2];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    if (t < 2) own[t] = 0;
    cluster.sync();
    int value = x[rank * 4 + t] & 3;
    for (int to = 0; to < 2; to++)
        if (value / 2 == (WRONG == 2 ? 1 - to : to)) atomicAdd(cluster.map_shared_rank(own, to) + value % 2, 1); // wrong: 2
    if (WRONG == 1) __syncthreads(); else cluster.sync(); // wrong: 1
    if (t < 2) counts[rank * 2 + t] = own[t];
    if (WRONG == 1) cluster.sync();
}
