// Twice the slices of a matrix of 64 × 32: directly, and by boxes whose tensor maps the CTAs make themselves, one for each
// slice of 16 rows, as grouped products do.
// WRONG 1: the map is not acquired. 2: no barrier between publishing the map and its use. 3: the stride is that of
// 64 columns. 4: the map says 12 rows. 5: another map is acquired.
#ifndef WRONG
#define WRONG 0
#endif
#include "maps.h"
constexpr int ROWS = 16, COLS = 32;
extern "C" __global__ void ref(const float *x, float *y) {
    for (int i = threadIdx.x; i < 512; i += blockDim.x) y[blockIdx.x * 512 + i] = 2.0f * x[blockIdx.x * 512 + i];
}

#define REPLACE(field, ty, value) \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." ty " [%0], %1;" ::"l"(map), value : "memory")
#define REPLACE_IN(field, entry, ty, value) \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." ty " [%0], " entry ", %1;" ::"l"(map), value : "memory")
extern "C" __global__ void opt(const float *x, float *y, char *scratch) {
    __shared__ alignas(128) float tile[ROWS][COLS];
    __shared__ alignas(128) int draft[32];
    __shared__ u64 full;
    int t = threadIdx.x;
    char *own = scratch + blockIdx.x * 128;
    if (t < 32) {
        draft[t] = 0;
        __syncwarp();
        if (t == 0) {
            u64 map = sp(draft);
            REPLACE("global_address", "b64", "l"(x + blockIdx.x * ROWS * COLS));
            REPLACE("rank", "b32", "n"(1));
            REPLACE_IN("box_dim", "0", "b32", "r"(COLS));
            REPLACE_IN("box_dim", "1", "b32", "r"(ROWS));
            REPLACE_IN("global_dim", "0", "b32", "r"(COLS));
            REPLACE_IN("global_dim", "1", "b32", "r"(WRONG == 4 ? 12 : ROWS)); // wrong: 4
            REPLACE_IN("global_stride", "0", "b64", "l"((u64)(WRONG == 3 ? 256 : 128))); // wrong: 3
            REPLACE_IN("element_stride", "0", "b32", "r"(1));
            REPLACE_IN("element_stride", "1", "b32", "r"(1));
            REPLACE("elemtype", "b32", "n"(7));
            REPLACE("interleave_layout", "b32", "n"(0));
            REPLACE("swizzle_mode", "b32", "n"(0));
            REPLACE("fill_mode", "b32", "n"(0));
        }
        __syncwarp();
        asm volatile(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned [%0], [%1], 128;" ::"l"(own),
            "l"((u64)sp(draft))
            : "memory");
    }
    if (t == 32) {
        init(&full, 1);
        init_done();
    }
    if (WRONG != 2) __syncthreads(); // missing: 2
    if (t == 32) {
        if (WRONG != 1) // missing: 1
            asm volatile("fence.proxy.tensormap::generic.acquire.cta [%0], 128;" ::"l"(WRONG == 5 ? scratch + (blockIdx.x ^ 1) * 128 : own) : "memory"); // wrong: 5
        expect(&full, sizeof tile);
        load(tile, (const CUtensorMap *)own, &full, 0, 0);
    }
    if (WRONG == 2) __syncthreads();
    wait(&full, 0);
    for (int i = t; i < ROWS * COLS; i += blockDim.x) y[blockIdx.x * ROWS * COLS + i] = 2.0f * tile[i / COLS][i % COLS];
}
