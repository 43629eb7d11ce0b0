// Layer norm of rows of COLUMNS numbers, one block of THREADS threads a row.
#include "block.cuh"
extern "C" __global__ void layer_norm(const float* x, const float* w, const float* b, float* y) {
  const float* row = x + blockIdx.x * COLUMNS;
  float sum = 0.0f, squares = 0.0f;
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) sum += row[column];
  float mean = over_block<Sum>(sum) / COLUMNS;
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS)
    squares += (row[column] - mean) * (row[column] - mean);
  float scale = rsqrtf(over_block<Sum>(squares) / COLUMNS + 1e-5f);
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS)
    y[blockIdx.x * COLUMNS + column] = (row[column] - mean) * scale * w[column] + b[column];
}
