// Maxima that begin with the least float, as CUDA programs write them: by fmaxf, by branches, with the place, pooled,
// by warps, and minima from the largest. What ends in `wrong` leaves something out.

#define LOWEST (-3.402823466e+38f)
#define COLUMNS 16

extern "C" __global__ void by_branch(const float *x, float *y) {
    const float *row = x + threadIdx.x * COLUMNS;
    float largest = LOWEST;
    for (int i = 0; i < COLUMNS; ++i)
        if (row[i] > largest) largest = row[i];
    y[threadIdx.x] = largest;
}

extern "C" __global__ void by_branch_wrong(const float *x, float *y) {
    const float *row = x + threadIdx.x * COLUMNS;
    float largest = LOWEST;
    for (int i = 0; i < COLUMNS - 1; ++i)
        if (row[i] > largest) largest = row[i];
    y[threadIdx.x] = largest;
}

extern "C" __global__ void by_function(const float *x, float *y) {
    const float *row = x + threadIdx.x * COLUMNS;
    float largest = LOWEST;
    for (int i = 0; i < COLUMNS; ++i) largest = fmaxf(largest, 0.3f * row[i]);
    y[threadIdx.x] = largest;
}

extern "C" __global__ void smallest(const float *x, float *y) {
    const float *row = x + threadIdx.x * COLUMNS;
    float least = -LOWEST;
    for (int i = 0; i < COLUMNS; ++i) least = fminf(least, row[i]);
    y[threadIdx.x] = least;
}

extern "C" __global__ void place(const float *x, int *y) {
    const float *row = x + threadIdx.x * COLUMNS;
    float largest = LOWEST;
    int at = 0;
    for (int i = 0; i < COLUMNS; ++i)
        if (row[i] > largest) {
            largest = row[i];
            at = i;
        }
    y[threadIdx.x] = at;
}

extern "C" __global__ void by_warps(const float *x, float *y) {
    __shared__ float partial[4];
    float largest = LOWEST;
    for (int i = threadIdx.x; i < 300; i += blockDim.x) largest = fmaxf(largest, x[i]);
    for (int step = 16; step > 0; step /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = largest;
    __syncthreads();
    if (threadIdx.x == 0) {
        largest = LOWEST;
        for (int warp = 0; warp < 4; ++warp) largest = fmaxf(largest, partial[warp]);
        y[0] = largest;
    }
}

// A window of 3 by 3 over 8 by 8 elements, with a border that counts as nothing.
__device__ __forceinline__ float pooled(const float *x, int border) {
    float largest = LOWEST;
    for (int i = -1; i <= border; ++i)
        for (int j = -1; j <= 1; ++j) {
            int row = (int)threadIdx.y + i, column = (int)threadIdx.x + j;
            if (row >= 0 && row < 8 && column >= 0 && column < 8) largest = fmaxf(largest, x[row * 8 + column]);
        }
    return largest;
}

extern "C" __global__ void pool(const float *x, float *y) { y[threadIdx.y * 8 + threadIdx.x] = pooled(x, 1); }

extern "C" __global__ void pool_wrong(const float *x, float *y) { y[threadIdx.y * 8 + threadIdx.x] = pooled(x, 0); }

// Where a mask's -inf may be the largest, the least float is another number.
extern "C" __global__ void masked(const float *x, float *y) {
    const float *row = x + threadIdx.x * COLUMNS;
    float largest = LOWEST;
    for (int i = 0; i < COLUMNS; ++i) largest = fmaxf(largest, row[i] < 0 ? -__int_as_float(0x7f800000) : row[i]);
    y[threadIdx.x] = largest;
}
