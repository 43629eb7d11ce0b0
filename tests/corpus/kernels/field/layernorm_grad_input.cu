// The gradient of layer normalisation by its input, ROWS rows of N values, from the gradient of the
// output and the mean and inverse deviation of each row. A block of WARPS warps (32 by WARPS
// threads) goes from row to row; a row's two sums are added up by shuffles and then warp by warp in
// shared memory, where warp 0 leaves them for all. BEFORE is the state before the repair that the
// kernel of Apex and Megatron-LM needed: for the next row the buffer may be written while another
// warp has yet to read this row's sums. SERIAL is one thread per row.
#ifndef MUTANT
#define MUTANT 0
#endif
#if MUTANT == 5
#define SLOT 1  // wrong: 2
#else
#define SLOT 2
#endif

extern "C" __global__ void layernorm_grad_input(const float *grad, const float *x,
                                                const float *means, const float *inverses,
                                                const float *gamma, float *out) {
#ifdef SERIAL
    int row = threadIdx.x;
    float mean = means[row], inverse = inverses[row], plain = 0.0f, scaled = 0.0f;
    for (int i = row * N; i < (row + 1) * N; ++i) {
        plain += grad[i] * gamma[i - row * N];
        scaled += grad[i] * gamma[i - row * N] * (x[i] - mean) * inverse;
    }
    plain /= N;
    scaled /= N;
    for (int i = row * N; i < (row + 1) * N; ++i)
        out[i] = (grad[i] * gamma[i - row * N] - plain - (x[i] - mean) * inverse * scaled) * inverse;
#else
    __shared__ float sums[32 * WARPS];  // two for each lane of WARPS / 2 warps
    int lane = threadIdx.x, warp = threadIdx.y, tid = warp * 32 + lane;
    for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
        float mean = means[row], inverse = inverses[row], plain = 0.0f, scaled = 0.0f;
#if MUTANT == 1
        for (int i = tid; i < N - 1; i += 32 * WARPS) {  // wrong: i < N
#else
        for (int i = tid; i < N; i += 32 * WARPS) {
#endif
            float g = grad[row * N + i] * gamma[i];
            plain += g;
#if MUTANT == 2
            scaled += grad[row * N + i] * (x[row * N + i] - mean) * inverse;  // missing: * gamma[i]
#else
            scaled += g * (x[row * N + i] - mean) * inverse;
#endif
        }
#if MUTANT == 3
        for (int step = 8; step > 0; step /= 2) {  // wrong: step = 16
#else
        for (int step = 16; step > 0; step /= 2) {
#endif
#if MUTANT == 4
            plain += __shfl_down_sync(0xffffffff, plain, step);  // wrong: xor
#else
            plain += __shfl_xor_sync(0xffffffff, plain, step);
#endif
            scaled += __shfl_xor_sync(0xffffffff, scaled, step);
        }
        for (int half = WARPS / 2; half > 0; half /= 2) {
            if (warp >= half && warp < 2 * half) {
                int to = (warp - half) * 32 + lane;
                sums[SLOT * to] = plain;
                sums[SLOT * to + 1] = scaled;
            }
#if MUTANT != 6  // missing: the upper half may not have written
            __syncthreads();
#endif
            if (warp < half) {
                plain += sums[SLOT * tid];
                scaled += sums[SLOT * tid + 1];
            }
#if MUTANT != 7  // missing: the lower half may not have read
            __syncthreads();
#endif
        }
        if (warp == 0) {
            sums[2 * lane] = plain;
#if MUTANT != 8  // missing: the second sum
            sums[2 * lane + 1] = scaled;
#endif
        }
#if MUTANT != 9  // missing: warp 0 may not have written
        __syncthreads();
#endif
        if (warp != 0) {
#if MUTANT == 10
            plain = sums[2 * lane + 1];  // wrong: the two swapped
            scaled = sums[2 * lane];
#else
            plain = sums[2 * lane];
            scaled = sums[2 * lane + 1];
#endif
        }
        for (int i = tid; i < N; i += 32 * WARPS) {
            float value = N * grad[row * N + i] * gamma[i] - plain;
            value -= (x[row * N + i] - mean) * inverse * scaled;
#if MUTANT == 11
            out[row * N + i] = value * inverse;  // missing: * (1.0f / N)
#else
            out[row * N + i] = value * ((1.0f / N) * inverse);
#endif
        }
#ifndef BEFORE  // missing: the others may not have read the sums
        __syncthreads();
#endif
    }
#endif
}
