// Max pooling of 8 x 8 floats by 2 x 2 windows, with the place of each maximum for the way back: a loop
// over the window, and the two rows first, each with its own comparison.
// MUT 1, wrong: Where the rows tie, the lower one wins.
// MUT 2, wrong: The lower row's place is not moved down.
#ifndef MUT
#define MUT 0
#endif
extern "C" __global__ void ref(const float* x, float* y, int* at) {
  int r = threadIdx.x / 4, c = threadIdx.x % 4;
  float best = -1e30f;
  int place = -1;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      int here = (2 * r + i) * 8 + 2 * c + j;
      if (place < 0 || x[here] > best) {
        best = x[here];
        place = here;
      }
    }
  y[threadIdx.x] = best;
  at[threadIdx.x] = place;
}
extern "C" __global__ void opt(const float* x, float* y, int* at) {
  int r = threadIdx.x / 4, c = threadIdx.x % 4;
  int corner = 16 * r + 2 * c;
  const float2 upper = *(const float2*)(x + corner), lower = *(const float2*)(x + corner + 8);
  float u = fmaxf(upper.x, upper.y), l = fmaxf(lower.x, lower.y);
  int i = upper.y > upper.x, j = (MUT == 2 ? 0 : 8) + (lower.y > lower.x);
  bool up = MUT == 1 ? u > l : u >= l;
  y[threadIdx.x] = up ? u : l;
  at[threadIdx.x] = corner + (up ? i : j);
}
