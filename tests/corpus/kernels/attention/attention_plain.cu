// O = softmax(scale Q K^T) V, as the formula reads: all scores of a row, their maximum, the
// exponentials, their sum, then the weighted rows of V. Q is ROWS x DIM, K and V are KEYS x DIM.
// Thread t computes rows t, t + blockDim.x, and so on: one thread will do. With CAUSAL, row i is at
// position START + i and sees the keys up to its own position.
#include <math_constants.h>

extern "C" __global__ void attention_plain(const float *Q, const float *K, const float *V, float *O) {
    __shared__ float weight[ROWS][KEYS];  // a row belongs to one thread
    for (int row = threadIdx.x; row < ROWS; row += blockDim.x) {
#ifdef CAUSAL
        int seen = START + row + 1;
#else
        int seen = KEYS;
#endif
        float largest = -CUDART_INF_F;
        for (int key = 0; key < seen; ++key) {
            float score = 0.0f;
#pragma unroll 4
            for (int d = 0; d < DIM; ++d) score += Q[row * DIM + d] * K[key * DIM + d];
            score *= SCALE;
            weight[row][key] = score;
            largest = fmaxf(largest, score);
        }
        float sum = 0.0f;
        for (int key = 0; key < seen; ++key) {
            weight[row][key] = expf(weight[row][key] - largest);
            sum += weight[row][key];
        }
#pragma unroll 1
        for (int d = 0; d < DIM; ++d) {
            float out = 0.0f;
            for (int key = 0; key < seen; ++key) out += weight[row][key] * V[key * DIM + d];
            O[row * DIM + d] = out / sum;
        }
    }
}
