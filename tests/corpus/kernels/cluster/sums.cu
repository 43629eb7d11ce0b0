// y[i] = x[i] / sum of the row, for rows of 512: one thread, and a cluster of four CTAs of 128 threads that add up what the
// others have in their shared memory. WRONG 1: nobody waits before reading. 2: a CTA may be gone when it is read.
// 3: the barrier is one of the CTA. 4: every CTA reads its own sum four times. 5: the cluster's barrier without release.
#include <cooperative_groups.h>
#ifndef WRONG
#define WRONG 0
#endif
namespace cg = cooperative_groups;
constexpr int CTAS = 4, THREADS = 128, ROW = CTAS * THREADS;

extern "C" __global__ void ref(const float *x, float *y) {
    float sum = 0.0f;
    for (int i = 0; i < ROW; i++) sum += x[blockIdx.x * ROW + i];
    for (int i = threadIdx.x; i < ROW; i += blockDim.x) y[blockIdx.x * ROW + i] = x[blockIdx.x * ROW + i] / sum;
}

extern "C" __global__ void __cluster_dims__(CTAS, 1, 1) opt(const float *x, float *y) {
    __shared__ float warps[THREADS / 32], own;
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    float value = x[i], sum = value;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (t % 32 == 0) warps[t / 32] = sum;
    __syncthreads();
    if (t == 0) own = warps[0] + warps[1] + warps[2] + warps[3];
    if (WRONG == 3) __syncthreads(); // wrong: 3
    else if (WRONG == 5) asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); // wrong: 5
    else if (WRONG != 1) cluster.sync(); // missing: 1
    float all = 0.0f;
    for (int rank = 0; rank < CTAS; rank++)
        all += *cluster.map_shared_rank(&own, WRONG == 4 ? cluster.block_rank() : rank); // wrong: 4
    if (WRONG != 2) cluster.sync(); // missing: 2
    y[i] = value / all;
}
