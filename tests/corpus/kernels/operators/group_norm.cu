// Group norm of images of CHANNELS channels and PIXELS pixels, in groups of GROUP channels: one block of THREADS
// threads a group, in one pass over its numbers and their squares.
#include "block.cuh"
extern "C" __global__ void group_norm(const float* x, const float* w, const float* b, float* y) {
  const int size = GROUP * PIXELS;
  int first = blockIdx.x * size, channel = blockIdx.x * GROUP % CHANNELS;
  float sum = 0.0f, squares = 0.0f;
  for (int i = threadIdx.x; i < size; i += THREADS) {
    sum += x[first + i];
    squares += x[first + i] * x[first + i];
  }
  float mean = over_block<Sum>(sum) / size;
  float scale = rsqrtf(over_block<Sum>(squares) / size - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < size; i += THREADS)
    y[first + i] = (x[first + i] - mean) * scale * w[channel + i / PIXELS] + b[channel + i / PIXELS];
}
