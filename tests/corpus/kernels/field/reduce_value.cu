// The centre of N points (three values each) and their mean square distance from it, by one block
// of THREADS threads: four sums, one after the other in one buffer. A sum's levels up to a distance
// of 16 stay within a warp. BEFORE is the state before the repair that OpenMM's RMSD needed: after
// the level of distance 16 only the warp waits, yet the next level reads another warp's sum.
// SERIAL is one thread that adds up.
#ifndef MUTANT
#define MUTANT 0
#endif
#ifdef BEFORE
#define WITHIN_WARPS 32  // wrong: 16
#else
#define WITHIN_WARPS 16
#endif

#ifndef SERIAL
static __device__ float sum_of(float value, float *sums) {
    int tid = threadIdx.x;
#if MUTANT != 1  // missing: the others may not have read the sum before this one
    __syncthreads();
#endif
    sums[tid] = value;
#if MUTANT == 2
    __syncwarp();  // no fault: the first levels read within a warp
#elif MUTANT != 3  // missing: the others may not have filled the buffer
    __syncthreads();
#endif
    for (int step = 1; step < WITHIN_WARPS; step *= 2) {
        if (tid % (2 * step) == 0) sums[tid] += sums[tid + step];
#if MUTANT != 4  // missing: the others may not have written
        __syncwarp();
#endif
    }
#if MUTANT == 5
    for (int step = WITHIN_WARPS; step < THREADS / 2; step *= 2) {  // wrong: step < THREADS
#else
    for (int step = WITHIN_WARPS; step < THREADS; step *= 2) {
#endif
        if (tid % (2 * step) == 0) sums[tid] += sums[tid + step];
        __syncthreads();
    }
#if MUTANT == 6
    return sums[tid];  // wrong: sums[0]
#else
    return sums[0];
#endif
}
#endif

extern "C" __global__ void reduce_value(const float *points, float *out) {
#ifdef SERIAL
    float x = 0.0f, y = 0.0f, z = 0.0f, spread = 0.0f;
    for (int i = 0; i < N; ++i) {
        x += points[3 * i];
        y += points[3 * i + 1];
        z += points[3 * i + 2];
    }
    x /= N;
    y /= N;
    z /= N;
    for (int i = 0; i < N; ++i) {
        float dx = points[3 * i] - x, dy = points[3 * i + 1] - y, dz = points[3 * i + 2] - z;
        spread += dx * dx + dy * dy + dz * dz;
    }
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = spread / N;
#else
    __shared__ float sums[THREADS];
    int tid = threadIdx.x;
    float x = 0.0f, y = 0.0f, z = 0.0f, spread = 0.0f;
#if MUTANT == 7
    for (int i = tid; i < N - 1; i += THREADS) {  // wrong: i < N
#else
    for (int i = tid; i < N; i += THREADS) {
#endif
        x += points[3 * i];
#if MUTANT == 8
        y += points[3 * i + 2];  // wrong: 3 * i + 1
#else
        y += points[3 * i + 1];
#endif
        z += points[3 * i + 2];
    }
    x = sum_of(x, sums) / N;
    y = sum_of(y, sums) / N;
    z = sum_of(z, sums) / N;
    for (int i = tid; i < N; i += THREADS) {
        float dx = points[3 * i] - x, dy = points[3 * i + 1] - y, dz = points[3 * i + 2] - z;
        spread += dx * dx + dy * dy + dz * dz;
    }
    spread = sum_of(spread, sums);
#if MUTANT == 9
    if (tid < 4) {  // no fault: four lanes of a warp store the same together
#elif MUTANT == 11
    {  // missing: if (tid == 0)
#else
    if (tid == 0) {
#endif
        out[0] = x;
        out[1] = y;
        out[2] = z;
#if MUTANT == 10
        out[3] = spread / (N - 1);  // wrong: N
#else
        out[3] = spread / N;
#endif
    }
#endif
}
