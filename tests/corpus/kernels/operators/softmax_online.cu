// Softmax of rows of COLUMNS numbers in two passes, one block of THREADS threads a row: each thread rescales its
// sum when its maximum grows, and the block does the same once more.
#include "block.cuh"
extern "C" __global__ void softmax_online(const float* x, float* y) {
  const float* row = x + blockIdx.x * COLUMNS;
  float most = Max::none(), total = 0.0f;
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) {
    float larger = fmaxf(most, row[column]);
    total = total * expf(most - larger) + expf(row[column] - larger);
    most = larger;
  }
  float largest = over_block<Max>(most);
  total = over_block<Sum>(total * expf(most - largest));
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS)
    y[blockIdx.x * COLUMNS + column] = expf(row[column] - largest) / total;
}
