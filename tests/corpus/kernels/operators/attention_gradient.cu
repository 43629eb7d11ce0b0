// The gradients of attention, as FlashAttention-2 computes them: from the logarithm of each row's sum (`l`) and the
// product of result and gradient (`d`) that earlier kernels kept. OF 0: of the queries, one thread a number. OF 1 and
// 2: of keys and of values. One block a row of the result, DIM threads.
extern "C" __global__ void attention_gradient(const float* q, const float* k, const float* v, const float* go,
                                              const float* l, const float* d, float* result) {
  __shared__ float weights[OF == 0 ? KEYS : ROWS];
  int own = blockIdx.x;
  for (int other = threadIdx.x; other < (OF == 0 ? KEYS : ROWS); other += DIM) {
    int row = OF == 0 ? own : other, key = OF == 0 ? other : own;
    float score = 0.0f, change = 0.0f;
    for (int i = 0; i < DIM; i++) {
      score += q[row * DIM + i] * k[key * DIM + i];
      change += go[row * DIM + i] * v[key * DIM + i];
    }
    float p = expf(score * SCALE - l[row]);
    weights[other] = OF == 2 ? p : p * (change - d[row]);
  }
  __syncthreads();
  float sum = 0.0f;
  for (int other = 0; other < (OF == 0 ? KEYS : ROWS); other++)
    sum += weights[other] * (OF == 0 ? k : OF == 1 ? q : go)[other * DIM + threadIdx.x];
  result[own * DIM + threadIdx.x] = OF == 2 ? sum : sum * SCALE;
}
