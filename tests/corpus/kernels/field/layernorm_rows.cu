// Layer normalisation of ROWS rows of N values. A block of WARPS warps (32 by WARPS threads) goes
// from row to row; mean and squared deviations of a row come from Welford's running update in each
// thread, merged lane by lane and then warp by warp in shared memory, where thread 0 leaves them
// for all. BEFORE is the state before the repair that Megatron-LM's fused layer norm needed: for
// the next row the buffer may be written while another thread has yet to read this row's result.
// SERIAL is one thread per row.
#ifndef MUTANT
#define MUTANT 0
#endif

#ifndef SERIAL
struct Moments {
    float mean, squares, count;
};

static __device__ void take(Moments &m, float value) {
    m.count += 1.0f;
    float delta = value - m.mean;
    m.mean += delta / m.count;
    m.squares += delta * (value - m.mean);
}

static __device__ void merge(Moments &m, float mean, float squares, float count) {
    float total = m.count + count;
    if (total > 0.0f) {
        float delta = mean - m.mean;
        float own = m.count / total, other = count / total;
        m.mean = own * m.mean + other * mean;
#if MUTANT == 1
        m.squares += squares + delta * delta * own * total;  // missing: * other
#else
        m.squares += squares + delta * delta * own * other * total;
#endif
    }
    m.count = total;
}
#endif

extern "C" __global__ void layernorm_rows(const float *x, const float *gamma, const float *beta,
                                          float *y, float *means, float *inverses) {
#ifdef SERIAL
    int row = threadIdx.x;
    float mean = 0.0f, squares = 0.0f;
    for (int i = 0; i < N; ++i) mean += x[row * N + i];
    mean /= N;
    for (int i = 0; i < N; ++i) squares += (x[row * N + i] - mean) * (x[row * N + i] - mean);
    float inverse = rsqrtf(squares / N + 1e-5f);
    for (int i = 0; i < N; ++i)
        y[row * N + i] = (x[row * N + i] - mean) * inverse * gamma[i] + beta[i];
    means[row] = mean;
    inverses[row] = inverse;
#else
    __shared__ float moments[WARPS];  // mean and squares of WARPS / 2 warps
    __shared__ float counts[WARPS / 2];
    int lane = threadIdx.x, warp = threadIdx.y, tid = warp * 32 + lane;
#if MUTANT == 2
    for (int row = blockIdx.x; row < ROWS - 1; row += gridDim.x) {  // wrong: row < ROWS
#else
    for (int row = blockIdx.x; row < ROWS; row += gridDim.x) {
#endif
        Moments m = {0.0f, 0.0f, 0.0f};
#if MUTANT == 3
        for (int i = tid; i < N - 1; i += 32 * WARPS) take(m, x[row * N + i]);  // wrong: i < N
#else
        for (int i = tid; i < N; i += 32 * WARPS) take(m, x[row * N + i]);
#endif
#if MUTANT == 4
        for (int step = 1; step < 16; step *= 2) {  // wrong: step < 32
#else
        for (int step = 1; step < 32; step *= 2) {
#endif
#if MUTANT == 5
            int from = (lane + step) & 15;  // wrong: 31
#else
            int from = (lane + step) & 31;
#endif
            float mean = __shfl_sync(0xffffffff, m.mean, from);
            float squares = __shfl_sync(0xffffffff, m.squares, from);
            float count = __shfl_sync(0xffffffff, m.count, from);
            merge(m, mean, squares, count);
        }
        for (int half = WARPS / 2; half > 0; half /= 2) {
            if (lane == 0 && warp >= half && warp < 2 * half) {
                moments[2 * (warp - half)] = m.mean;
                moments[2 * (warp - half) + 1] = m.squares;
                counts[warp - half] = m.count;
            }
#if MUTANT != 6  // missing: the upper half may not have written
            __syncthreads();
#endif
            if (lane == 0 && warp < half) {
#if MUTANT == 7
                merge(m, moments[2 * warp], moments[2 * warp + 1], counts[0]);  // wrong: counts[warp]
#else
                merge(m, moments[2 * warp], moments[2 * warp + 1], counts[warp]);
#endif
            }
#if MUTANT != 8  // missing: the lower half may not have read
            __syncthreads();
#endif
        }
        if (tid == 0) {
            moments[0] = m.mean;
            moments[1] = m.squares;
        }
#if MUTANT != 9  // missing: thread 0 may not have written
        __syncthreads();
#endif
        float mean = moments[0];
#if MUTANT == 10
        float inverse = rsqrtf(moments[1] / (N - 1) + 1e-5f);  // wrong: N
#elif MUTANT == 11
        float inverse = rsqrtf(moments[1] / N) + 1e-5f;  // wrong: inside the root
#else
        float inverse = rsqrtf(moments[1] / N + 1e-5f);
#endif
        for (int i = tid; i < N; i += 32 * WARPS) {
#if MUTANT == 12
            y[row * N + i] = (x[row * N + i] - mean) * inverse * beta[i] + gamma[i];  // wrong: swapped
#else
            y[row * N + i] = (x[row * N + i] - mean) * inverse * gamma[i] + beta[i];
#endif
        }
        if (tid == 0) {
            means[row] = mean;
            inverses[row] = inverse;
        }
#ifndef BEFORE  // missing: the others may not have read the mean and the squares
        __syncthreads();
#endif
    }
#endif
}
