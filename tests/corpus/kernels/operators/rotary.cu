// Rotary embedding of tokens of DIM numbers by tables of cosines and sines, halves paired as in GPT-NeoX; one block
// of DIM / 2 threads a token.
extern "C" __global__ void rotary(const float* x, const float* cosines, const float* sines, float* y) {
  int token = blockIdx.x, i = threadIdx.x;
  float c = cosines[token * DIM / 2 + i], s = sines[token * DIM / 2 + i];
  float a = x[token * DIM + i], b = x[token * DIM + i + DIM / 2];
  y[token * DIM + i] = a * c - b * s;
  y[token * DIM + i + DIM / 2] = b * c + a * s;
}
