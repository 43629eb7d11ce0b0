// Rotary embedding of ROWS tokens from position `first` on, DIM numbers each; the angles come out of the
// positions alone. One block of DIM / 2 threads.
// The frequency of a pair is 10000 to the power of -2i / DIM: with powf, or as a power of two.
// MUT 1, wrong: Frequencies fall half as fast.
// MUT 2, wrong: The sine's sign is swapped in the second half.
#ifndef MUT
#define MUT 0
#endif
#ifndef DIM
#define DIM 64
#endif
#ifndef ROWS
#define ROWS 2
#endif
extern "C" __global__ void ref(const float* x, float* y, int first) {
  int i = threadIdx.x;
  for (int row = 0; row < ROWS; row++) {
    float angle = (first + row) * powf(10000.0f, -2.0f * i / DIM);
    float a = x[row * DIM + i], b = x[row * DIM + i + DIM / 2];
    y[row * DIM + i] = a * cosf(angle) - b * sinf(angle);
    y[row * DIM + i + DIM / 2] = a * sinf(angle) + b * cosf(angle);
  }
}
extern "C" __global__ void opt(const float* x, float* y, int first) {
  int i = threadIdx.x;
  const float log2_base = 13.287712f;
  float frequency = exp2f(i * (-(MUT == 1 ? 1.0f : 2.0f) * log2_base / DIM));
#pragma unroll
  for (int row = 0; row < ROWS; row++) {
    float s, c;
    sincosf((first + row) * frequency, &s, &c);
    float a = x[row * DIM + i], b = x[row * DIM + i + DIM / 2];
    y[row * DIM + i] = a * c - b * s;
    y[row * DIM + i + DIM / 2] = (MUT == 2 ? -a : a) * s + b * c;
  }
}
