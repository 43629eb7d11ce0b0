// Two matrices side by side: rows of LEFT and RIGHT columns, one block a row.
extern "C" __global__ void cat(const float* a, const float* b, float* y) {
  int row = blockIdx.x;
  for (int column = threadIdx.x; column < LEFT + RIGHT; column += blockDim.x)
    y[row * (LEFT + RIGHT) + column] =
        column < LEFT ? a[row * LEFT + column] : b[row * RIGHT + column - LEFT];
}
