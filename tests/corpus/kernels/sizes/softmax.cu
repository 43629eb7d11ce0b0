// Softmax of the rows of a matrix of any size, one CTA of 128 threads for each row.
#ifndef MUTANT
#define MUTANT 0
#endif
#define BLOCK 128

extern "C" __global__ void softmax(int columns, const float *x, float *y) {
    __shared__ float part[BLOCK];
    int tid = threadIdx.x;
    const float *row = x + blockIdx.x * columns;
    float most = -__int_as_float(0xff800000);
    for (int i = tid; i < columns; i += BLOCK) most = fmaxf(most, row[i]);
    part[tid] = most;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (tid < s) part[tid] = fmaxf(part[tid], part[tid + s]);
        __syncthreads();
    }
    most = part[0];
#if MUTANT != 1  // missing: the barrier before the array is used again
    __syncthreads();
#endif
    float sum = 0.0f;
    for (int i = tid; i < columns; i += BLOCK) sum += __expf(row[i] - most);
    part[tid] = sum;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (tid < s) part[tid] += part[tid + s];
        __syncthreads();
    }
#if MUTANT == 2
    for (int i = tid; i <= columns; i += BLOCK)  // wrong: one too far
#else
    for (int i = tid; i < columns; i += BLOCK)
#endif
#if MUTANT == 3
        y[blockIdx.x * BLOCK + i] = __expf(row[i] - most) / part[0];  // wrong stride
#else
        y[blockIdx.x * columns + i] = __expf(row[i] - most) / part[0];
#endif
}
