// Softmax of rows of COLUMNS numbers in three passes, one block of THREADS threads a row: the maximum, the sum of
// exponentials, the quotients. LOG: its logarithm; with LOG 2 each element has the sum's logarithm taken for itself.
#include "block.cuh"
#ifndef LOG
#define LOG 0
#endif
extern "C" __global__ void softmax(const float* x, float* y) {
  const float* row = x + blockIdx.x * COLUMNS;
  float most = Max::none(), total = 0.0f;
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) most = fmaxf(most, row[column]);
  most = over_block<Max>(most);
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) total += expf(row[column] - most);
  total = over_block<Sum>(total);
#if LOG == 2
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS)
    y[blockIdx.x * COLUMNS + column] = row[column] - most - logf(total);
#elif LOG == 1
  most += logf(total);
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS)
    y[blockIdx.x * COLUMNS + column] = row[column] - most;
#else
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS)
    y[blockIdx.x * COLUMNS + column] = expf(row[column] - most) / total;
#endif
}
