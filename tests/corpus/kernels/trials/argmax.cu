// The largest of 128 floats and its first place: by one thread from front to back, and by a block, with
// shuffles within warps and then over the four warps.
// MUT 1, wrong: Leaves ties to the order of the tree.
// MUT 2, wrong: Of equal values the last wins.
// MUT 3, wrong: One warp is left out.
// MUT 4, wrong: The warps' results are read before they are there.
#ifndef MUT
#define MUT 0
#endif
extern "C" __global__ void ref(const float* x, float* y, int* at) {
  float best = x[0];
  int place = 0;
  for (int i = 1; i < 128; i++)
    if (x[i] > best) {
      best = x[i];
      place = i;
    }
  *y = best;
  *at = place;
}
__device__ bool wins(float v, int i, float best, int place) {
#if MUT == 1
  return v > best;
#elif MUT == 2
  return v > best || (v == best && i > place);
#else
  return v > best || (v == best && i < place);
#endif
}
extern "C" __global__ void opt(const float* x, float* y, int* at) {
  __shared__ float bests[4];
  __shared__ int places[4];
  int t = threadIdx.x;
  float best = x[t];
  int place = t;
  for (int step = 16; step > 0; step /= 2) {
    float v = __shfl_xor_sync(0xffffffffu, best, step);
    int i = __shfl_xor_sync(0xffffffffu, place, step);
    if (wins(v, i, best, place)) {
      best = v;
      place = i;
    }
  }
  if (t % 32 == 0) {
    bests[t / 32] = best;
    places[t / 32] = place;
  }
#if MUT != 4
  __syncthreads();
#endif
  if (t == 0) {
    for (int w = 1; w < (MUT == 3 ? 3 : 4); w++)
      if (wins(bests[w], places[w], best, place)) {
        best = bests[w];
        place = places[w];
      }
    *y = best;
    *at = place;
  }
}
