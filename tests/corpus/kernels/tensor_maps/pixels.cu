// A convolution of images [2, 5, 6, 32] with a filter [3, 3, 32], padded by one: the boxes of pixels that a filter's entry
// meets come by im2col. KIND 1: by strides of 2. 2: signals [2, 6, 32] of one dimension with a filter [3, 32]. 3: the sums are
// stored as pixels of a box, too, which are added to what is there (KIND 0 otherwise). Swizzled by 128 bytes. A block has 16
// pixels; the last one's go beyond the last image.
// WRONG 1: the offsets change places. 2: one entry of the filter is left out. 3: the bytes of one box are not waited for.
// 4: the box is overwritten while others read it. 5: the first pixel of a block is one too far.
#ifndef WRONG
#define WRONG 0
#endif
#ifndef KIND
#define KIND 0
#endif
#include "maps.h"
constexpr int STRIDE = KIND == 1 ? 2 : 1, N = 2, H = KIND == 2 ? 1 : 5, W = 6, C = 32, R = KIND == 2 ? 1 : 3, S = 3;
constexpr int P = (H + 2 * (R / 2) - R) / STRIDE + 1, Q = (W + 2 - S) / STRIDE + 1, PIXELS = 16;

extern "C" __global__ void ref(const float *x, const float *f, float *y) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= N * P * Q) return;
    int n = pixel / (P * Q), p = pixel / Q % P, q = pixel % Q;
    float sum = 0;
    for (int r = 0; r < R; r++)
        for (int s = 0; s < S; s++) {
            int h = p * STRIDE + r - R / 2, w = q * STRIDE + s - 1;
            if (h < 0 || h >= H || w < 0 || w >= W) continue;
            for (int c = 0; c < C; c++) sum += x[((n * H + h) * W + w) * C + c] * f[(r * S + s) * C + c];
        }
    if (KIND == 3)
        for (int c = 0; c < C; c++) y[pixel * C + c] += sum * c;
    else y[pixel] = sum;
}

__device__ void pixels(void *to, const CUtensorMap *m, u64 *b, int c, int w, int h, int n, unsigned short s, unsigned short r) {
#if KIND == 2
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
                 "[%5], {%6};" ::"r"(sp(to)), "l"(m), "r"(c), "r"(w), "r"(n), "r"(sp(b)), "h"(s)
                 : "memory");
#else
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
                 "[%6], {%7, %8};" ::"r"(sp(to)), "l"(m), "r"(c), "r"(w), "r"(h), "r"(n), "r"(sp(b)), "h"(s), "h"(r)
                 : "memory");
#endif
}
__device__ void add(const CUtensorMap *m, const void *from, int c, int w, int h, int n) {
    asm volatile("cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(m),
                 "r"(c), "r"(w), "r"(h), "r"(n), "r"(sp(from))
                 : "memory");
}

extern "C" __global__ void opt(const __grid_constant__ CUtensorMap x, const float *f, float *y, const __grid_constant__ CUtensorMap z) {
    __shared__ alignas(1024) float box[2][PIXELS][C];
    __shared__ u64 full[2];
    int t = threadIdx.x, first = blockIdx.x * PIXELS + (WRONG == 5); // wrong: 5
    int n = first / (P * Q), h = first / Q % P * STRIDE - R / 2, w = first % Q * STRIDE - 1;
    if (t == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        init_done();
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < R * S; k++) {
        int at = k % 2, r = k / S, s = k % S;
        if (t == 0) {
            expect(&full[at], sizeof box[0]);
            if (WRONG == 1) pixels(box[at], &x, &full[at], 0, w, h, n, r, s); // wrong: 1
            else pixels(box[at], &x, &full[at], 0, w, h, n, s, r);
        }
        if (WRONG != 3 || k != 4) wait(&full[at], k / 2 % 2); // wrong: 3
        if (t < PIXELS && (WRONG != 2 || k != 7)) // missing: 2
            for (int c = 0; c < C; c++) {
                int chunk = c / 4 ^ t % 8;
                sum += box[at][t][chunk * 4 + c % 4] * f[k * C + c];
            }
        if (WRONG == 4 ? k < 2 : k % 2) __syncthreads(); // wrong: 4
    }
    if (KIND == 3) {
        __syncthreads();
        if (t < PIXELS)
            for (int c = 0; c < C; c++) box[0][t][(c / 4 ^ t % 8) * 4 + c % 4] = sum * c;
        fence_proxy();
        __syncthreads();
        if (t == 0) {
            add(&z, box[0], 0, first % Q, first / Q % P, n);
            commit();
            wait_all<0>();
        }
    } else if (t < PIXELS && blockIdx.x * PIXELS + t < N * P * Q) y[blockIdx.x * PIXELS + t] = sum;
}
