// The gradient of layer norm along rows of COLUMNS numbers, from the mean and the reciprocal deviation that the
// forward pass kept; one block of THREADS threads a row.
#include "block.cuh"
extern "C" __global__ void layer_norm_gradient(const float* x, const float* w, const float* mean, const float* scale,
                                               const float* dy, float* dx) {
  int row = blockIdx.x, first = row * COLUMNS;
  float plain = 0.0f, weighted = 0.0f;
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) {
    float d = dy[first + column] * w[column];
    plain += d;
    weighted += d * ((x[first + column] - mean[row]) * scale[row]);
  }
  plain = over_block<Sum>(plain) / COLUMNS;
  weighted = over_block<Sum>(weighted) / COLUMNS;
  for (int column = threadIdx.x; column < COLUMNS; column += THREADS) {
    float normal = (x[first + column] - mean[row]) * scale[row];
    dx[first + column] = scale[row] * (dy[first + column] * w[column] - plain - normal * weighted);
  }
}
