// A product of signed bytes with scales: element by element in floats, and by dp4a with the scales
// at the end.
// MUT 1, wrong: Leaves out the second half.
// MUT 2, wrong: Multiplies with the wrong word.
// MUT 3, wrong: Reads one word of four without signs.
#ifndef MUT
#define MUT 0
#endif
#define K 32
extern "C" __global__ void ref(const signed char* A, const signed char* B, const float* sa, const float* sb,
                               float* C) {
  int n = threadIdx.x, m = threadIdx.y;
  float s = 0;
  for (int k = 0; k < K; k++) s += (A[m * K + k] * sa[m]) * (B[n * K + k] * sb[n]);
  C[m * 8 + n] = s;
}
extern "C" __global__ void opt(const int4* A, const int4* B, const float* sa, const float* sb, float* C) {
  int n = threadIdx.x, m = threadIdx.y;
  int acc = 0;
  for (int k = 0; k < K / 16 - (MUT == 1); k++) {
    int4 a = A[m * 2 + k], b = B[n * 2 + k];
    acc = __dp4a(a.x, b.x, acc);
    acc = __dp4a(a.y, b.y, acc);
    acc = __dp4a(a.z, MUT == 2 ? b.y : b.z, acc);
#if MUT == 3
    acc = __dp4a((unsigned)a.w, (unsigned)b.w, (unsigned)acc);
#else
    acc = __dp4a(a.w, b.w, acc);
#endif
  }
  C[m * 8 + n] = (float)acc * (sa[m] * sb[n]);
}
