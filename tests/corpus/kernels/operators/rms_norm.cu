// RMS norm of rows of COLUMNS numbers, one block of THREADS threads a row.
#include "block.cuh"
extern "C" __global__ void rms_norm(const float* x, const float* w, float* y) {
  const float* row = x + blockIdx.x * COLUMNS;
  float squares = 0.0f;
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) squares += row[column] * row[column];
  float scale = rsqrtf(over_block<Sum>(squares) / COLUMNS + 1e-6f);
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS)
    y[blockIdx.x * COLUMNS + column] = row[column] * scale * w[column];
}
