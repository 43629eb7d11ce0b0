// Cross-entropy of rows of COLUMNS classes and a target each, one block of THREADS threads a row.
#include "block.cuh"
extern "C" __global__ void cross_entropy(const float* x, const long long* target, float* loss) {
  const float* row = x + blockIdx.x * COLUMNS;
  float most = Max::none(), total = 0.0f;
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) most = fmaxf(most, row[column]);
  most = over_block<Max>(most);
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) total += expf(row[column] - most);
  total = over_block<Sum>(total);
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(total) + most - row[target[blockIdx.x]];
}
