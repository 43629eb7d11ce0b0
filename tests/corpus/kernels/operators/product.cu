// C = A B, row-major, A with DEPTH columns, B with COLUMNS: tiles of 64 x 64 in shared memory, a block of 16 x 16
// threads, 4 x 4 results a thread. INT8: B is stored in bytes, with a scale for each column. INT4: two rows of B in
// one byte, the even one in the low half, less 8.
#define TILE 64
#define STEP 16
extern "C" __global__ void product(const float* a,
#if defined(INT8)
                                   const signed char* b, const float* scale,
#elif defined(INT4)
                                   const unsigned char* b, const float* scale,
#else
                                   const float* b,
#endif
                                   float* c) {
  __shared__ float left[STEP][TILE], right[STEP][TILE];
  int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
  int thread = threadIdx.y * 16 + threadIdx.x;
  float sums[4][4] = {};
  for (int first = 0; first < DEPTH; first += STEP) {
    for (int i = thread; i < TILE * STEP; i += 256) {
      left[i % STEP][i / STEP] = a[(row + i / STEP) * DEPTH + first + i % STEP];
      int depth = first + i / TILE, at = column + i % TILE;
#if defined(INT8)
      right[i / TILE][i % TILE] = b[depth * COLUMNS + at] * scale[at];
#elif defined(INT4)
      int both = b[depth / 2 * COLUMNS + at];
      right[i / TILE][i % TILE] = ((depth % 2 ? both >> 4 : both & 15) - 8) * scale[at];
#else
      right[i / TILE][i % TILE] = b[depth * COLUMNS + at];
#endif
    }
    __syncthreads();
    for (int k = 0; k < STEP; k++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sums[i][j] += left[k][threadIdx.y * 4 + i] * right[k][threadIdx.x * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      c[(row + threadIdx.y * 4 + i) * COLUMNS + column + threadIdx.x * 4 + j] = sums[i][j];
}
