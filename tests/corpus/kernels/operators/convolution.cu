// A convolution of IN channels of SIDE x SIDE pixels with OUT filters of 3 x 3, zeros around the image, as a matrix
// product whose left side is gathered while it is read: tiles of 16 filters and 64 pixels, steps of 16 along the
// 9 IN products; a block of 256 threads, four results a thread.
#define STEP 16
#define DEPTH (9 * IN)
extern "C" __global__ void convolution(const float* x, const float* w, float* y) {
  __shared__ float pixels[STEP][64], filters[16][STEP];
  int first_pixel = blockIdx.x * 64, first_filter = blockIdx.y * 16;
  int filter = threadIdx.x / 16, pixel = threadIdx.x % 16 * 4;
  float sums[4] = {};
  for (int first = 0; first < DEPTH; first += STEP) {
    for (int i = threadIdx.x; i < STEP * 64; i += 256) {
      int depth = first + i / 64, at = first_pixel + i % 64;
      int channel = depth / 9, row = at / SIDE + depth % 9 / 3 - 1, column = at % SIDE + depth % 3 - 1;
      bool inside = row >= 0 && row < SIDE && column >= 0 && column < SIDE;
      pixels[i / 64][i % 64] = inside ? x[(channel * SIDE + row) * SIDE + column] : 0.0f;
    }
    filters[threadIdx.x / STEP][threadIdx.x % STEP] =
        w[(first_filter + threadIdx.x / STEP) * DEPTH + first + threadIdx.x % STEP];
    __syncthreads();
    for (int depth = 0; depth < STEP; depth++)
#pragma unroll
      for (int i = 0; i < 4; i++) sums[i] += filters[filter][depth] * pixels[depth][pixel + i];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) y[(first_filter + filter) * SIDE * SIDE + first_pixel + pixel + i] = sums[i];
}
