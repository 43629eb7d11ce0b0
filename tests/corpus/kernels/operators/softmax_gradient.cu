// The gradient of softmax along rows of COLUMNS numbers, from its result; one block of THREADS threads a row.
#include "block.cuh"
extern "C" __global__ void softmax_gradient(const float* y, const float* dy, float* dx) {
  int first = blockIdx.x * COLUMNS;
  float sum = 0.0f;
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) sum += y[first + column] * dy[first + column];
  sum = over_block<Sum>(sum);
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS)
    dx[first + column] = y[first + column] * (dy[first + column] - sum);
}
