// The honest kernel, which most proposals pretend to be: a block for each row, a thread for each column.
// x and y have 4 rows of 128 columns.
#define COLUMNS 128
#define WARPS (COLUMNS / 32)

__device__ __forceinline__ float across_block(float value, float *partial, bool maximum) {
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, value, step);
        value = maximum ? fmaxf(value, other) : value + other;
    }
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = partial[0];
    for (int warp = 1; warp < WARPS; ++warp)
        value = maximum ? fmaxf(value, partial[warp]) : value + partial[warp];
    __syncthreads();
    return value;
}

__device__ __forceinline__ float honest(float mine, float *partial) {
    float largest = across_block(mine, partial, true);
    float weight = __expf(mine - largest);
    return weight / across_block(weight, partial, false);
}
