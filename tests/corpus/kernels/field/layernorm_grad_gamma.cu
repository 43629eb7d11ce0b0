// The gradients of layer normalisation by gamma and beta: sums over ROWS rows of N columns. A block
// of WARPS warps (32 by WARPS threads) has 32 columns. In the manner of Apex each thread adds WARPS
// neighbouring columns of every WARPS * WARPS-th row into a tile, so that loads are in flight
// together; then a thread adds a column's WARPS rows of the tile and leaves the sum in the first of
// them, which only it reads; then the warps meet. SERIAL is one thread per column.
#ifndef MUTANT
#define MUTANT 0
#endif
#if MUTANT == 1
#define STRIDE 32  // no fault: banks are no matter of meaning
#else
#define STRIDE 33
#endif
#define GROUP (WARPS * WARPS)

extern "C" __global__ void layernorm_grad_gamma(const float *grad, const float *x,
                                                const float *means, const float *inverses,
                                                float *gamma, float *beta) {
#ifdef SERIAL
    int column = threadIdx.x;
    float scaled = 0.0f, plain = 0.0f;
    for (int row = 0; row < ROWS; ++row) {
        plain += grad[row * N + column];
        scaled += grad[row * N + column] * (x[row * N + column] - means[row]) * inverses[row];
    }
    gamma[column] = scaled;
    beta[column] = plain;
#else
    __shared__ float plain[GROUP * STRIDE];
    __shared__ float scaled[GROUP * STRIDE];
    int lane = threadIdx.x, warp = threadIdx.y;
    int tile_row = lane * WARPS / 32 + warp * WARPS, tile_column = lane * WARPS % 32;
    for (int k = 0; k < WARPS; ++k) {
        plain[tile_row * STRIDE + tile_column + k] = 0.0f;
#if MUTANT != 2  // missing: clear the other half of the tile
        scaled[tile_row * STRIDE + tile_column + k] = 0.0f;
#endif
    }
#if MUTANT == 3
    for (int row = tile_row; row < ROWS - GROUP; row += GROUP) {  // wrong: row < ROWS
#else
    for (int row = tile_row; row < ROWS; row += GROUP) {
#endif
        for (int k = 0; k < WARPS; ++k) {
            int column = blockIdx.x * 32 + tile_column + k, at = tile_row * STRIDE + tile_column + k;
            if (column < N) {
                float g = grad[row * N + column];
#if MUTANT == 4
                plain[at] = g;  // wrong: +=
#else
                plain[at] += g;
#endif
#if MUTANT == 5
                scaled[at] += g * (x[row * N + column] - means[tile_row]) * inverses[row];  // wrong: row
#elif MUTANT == 6
                scaled[at] += g * (x[row * N + column] - means[row]);  // missing: * inverses[row]
#else
                scaled[at] += g * (x[row * N + column] - means[row]) * inverses[row];
#endif
            }
        }
    }
#if MUTANT != 7  // missing: the others may not have filled the tile
    __syncthreads();
#endif

    float plain_sum = 0.0f, scaled_sum = 0.0f;
    for (int k = 0; k < WARPS; ++k) {
#if MUTANT == 8
        int row = warp * WARPS + k;  // wrong: the row that is written below is another warp's
#else
        int row = warp + k * WARPS;
#endif
        plain_sum += plain[row * STRIDE + lane];
        scaled_sum += scaled[row * STRIDE + lane];
    }
    plain[warp * STRIDE + lane] = plain_sum;
    scaled[warp * STRIDE + lane] = scaled_sum;
#if MUTANT != 9  // missing: the others may not have written
    __syncthreads();
#endif
#if MUTANT == 10
    for (int half = WARPS / 4; half > 0; half /= 2) {  // wrong: half = WARPS / 2
#else
    for (int half = WARPS / 2; half > 0; half /= 2) {
#endif
        if (warp < half) {
            plain[warp * STRIDE + lane] += plain[(warp + half) * STRIDE + lane];
            scaled[warp * STRIDE + lane] += scaled[(warp + half) * STRIDE + lane];
        }
#if MUTANT != 11  // missing: the others may not have added
        __syncthreads();
#endif
    }
    int column = blockIdx.x * 32 + lane;
#if MUTANT == 12
    if (warp == 0) {  // missing: column < N
#elif MUTANT == 13
    if (column < N) {  // missing: warp == 0
#else
    if (warp == 0 && column < N) {
#endif
        gamma[column] = scaled[lane];
        beta[column] = plain[lane];
    }
#endif
}
