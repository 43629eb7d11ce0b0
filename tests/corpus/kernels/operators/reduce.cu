// The sum or the maximum (FOLD) of each row of COLUMNS numbers, one block of THREADS threads a row.
#include "block.cuh"
extern "C" __global__ void reduce(const float* x, float* y) {
  const float* row = x + blockIdx.x * COLUMNS;
  float total = FOLD::none();
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) total = FOLD::both(total, row[column]);
  total = over_block<FOLD>(total);
  if (threadIdx.x == 0) y[blockIdx.x] = total;
}
