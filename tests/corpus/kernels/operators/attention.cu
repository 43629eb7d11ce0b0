// Attention in one pass over tiles of 32 keys (FlashAttention): one warp a block, ROWS queries of DIM numbers each,
// KEYS keys; a lane has a key's score and, of the result, two numbers. CAUSAL: query i sees keys up to i. HEADS
// query heads for each head of keys, one block a head.
#ifndef HEADS
#define HEADS 1
#endif
extern "C" __global__ void attention(const float* q, const float* k, const float* v, float* o) {
  int lane = threadIdx.x, head = blockIdx.x;
  q += head * ROWS * DIM;
  o += head * ROWS * DIM;
  k += head / HEADS * KEYS * DIM;
  v += head / HEADS * KEYS * DIM;
  for (int row = 0; row < ROWS; row++) {
    float most = -__int_as_float(0x7f800000), total = 0.0f, out[DIM / 32] = {};
    for (int first = 0; first < KEYS; first += 32) {
      float score = 0.0f;
      for (int d = 0; d < DIM; d++) score += q[row * DIM + d] * k[(first + lane) * DIM + d];
      score *= SCALE;
#ifdef CAUSAL
      if (first + lane > row) score = -__int_as_float(0x7f800000);
#endif
      float larger = score;
      for (int lanes = 16; lanes > 0; lanes /= 2)
        larger = fmaxf(larger, __shfl_xor_sync(0xffffffff, larger, lanes));
      larger = fmaxf(most, larger);
      float p = expf(score - larger), sum = p, rescale = expf(most - larger);
      for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffff, sum, lanes);
      total = total * rescale + sum;
      for (int part = 0; part < DIM / 32; part++) out[part] *= rescale;
      for (int key = 0; key < 32; key++) {
        float weight = __shfl_sync(0xffffffff, p, key);
        for (int part = 0; part < DIM / 32; part++)
          out[part] += weight * v[(first + key) * DIM + part * 32 + lane];
      }
      most = larger;
    }
    for (int part = 0; part < DIM / 32; part++) o[row * DIM + part * 32 + lane] = out[part] / total;
  }
}
