// y = 2 · x + 1, 64 elements a tile and block; a block that has done its own goes on with those of blocks that have not begun
// (cluster launch control). CLUSTER: in clusters of two, and both of its blocks are told.
// WRONG 1: the parity of the barrier object is not flipped. 2: the response is read before it has come. 3: it is asked for again
// while others read the response. 4: what was taken over is not done. 5: it is asked again after there was none. 6: the number of the
// tile is read though there is none. 7: the first element of a tile taken over is left out.
#ifndef WRONG
#define WRONG 0
#endif
#include "../bulk/bulk.h"
extern "C" __global__ void ref(const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2.0f * x[i] + 1.0f;
}

__device__ void ask(void *response, u64 *b) {
#ifdef CLUSTER
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%0], [%1];" ::"r"(sp(response)), "r"(sp(b)) : "memory");
#else
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(sp(response)), "r"(sp(b)) : "memory");
#endif
}
__device__ bool answer(const ulonglong2 *response, int *tile) {
    u32 found, x;
    u64 low = response->x, high = response->y;
    asm volatile("{ .reg .b128 r; .reg .pred p;\nmov.b128 r, {%2, %3};\nclusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r;\n"
                 "selp.u32 %0, 1, 0, p;\n"
                 "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, _, _, _}, r; }"
                 : "=r"(found), "=r"(x) : "l"(low), "l"(high));
    if (WRONG == 6 && !found) asm volatile("{ .reg .b128 r;\nmov.b128 r, {%1, %2};\nclusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, r; }" : "=r"(x) : "l"(low), "l"(high)); // wrong: 6
    *tile = x;
    return found;
}
__device__ void meet() {
#ifdef CLUSTER
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}

#ifdef CLUSTER
#define TOGETHER __cluster_dims__(2, 1, 1)
#else
#define TOGETHER
#endif
extern "C" __global__ void TOGETHER opt(const float *x, float *y) {
    __shared__ ulonglong2 response;
    __shared__ u64 full;
    int t = threadIdx.x, tile = blockIdx.x, rank = 0;
#ifdef CLUSTER
    rank = blockIdx.x % 2;
#endif
    if (t == 0) {
        init(&full, 1);
        init_done();
    }
    meet();
    for (int phase = 0, first = 1;; phase ^= WRONG != 1, first = 0) { // wrong: 1
        if (t == 0) {
            expect(&full, 16);
            if (rank == 0) ask(&response, &full);
        }
        if ((WRONG != 4 || first) && (WRONG != 7 || first || t > 0)) // missing: 4, 7
            y[tile * 64 + t] = 2.0f * x[tile * 64 + t] + 1.0f;
        if (WRONG != 2) wait(&full, phase); // missing: 2
        int next;
        bool found = answer(&response, &next);
        if (WRONG == 6 && !found && next == 77) y[0] = 0; // wrong: 6
        if (!found) {
            if (WRONG == 5 && t == 0) { // wrong: 5
                expect(&full, 16);
                ask(&response, &full);
                wait(&full, phase ^ 1);
            }
            break;
        }
        tile = next + rank;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        if (WRONG != 3) meet(); // missing: 3
    }
    meet();
}
