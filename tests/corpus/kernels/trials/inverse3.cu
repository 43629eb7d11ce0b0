// Inverses of four 3 x 3 matrices: by Gauss and Jordan, and by cofactors.
// MUT 1, wrong: One cofactor has the wrong sign.
// MUT 2, wrong: Stores the transpose.
#ifndef MUT
#define MUT 0
#endif
// Gauss-Jordan without pivoting vs cofactors
extern "C" __global__ void ref(const float* A, float* B) {
  int t = threadIdx.x;
  float m[3][6];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      m[i][j] = A[t * 9 + i * 3 + j];
      m[i][j + 3] = i == j;
    }
  for (int c = 0; c < 3; c++) {
    float p = 1.f / m[c][c];
    for (int j = 0; j < 6; j++) m[c][j] *= p;
    for (int r = 0; r < 3; r++)
      if (r != c) {
        float f = m[r][c];
        for (int j = 0; j < 6; j++) m[r][j] -= f * m[c][j];
      }
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B[t * 9 + i * 3 + j] = m[i][j + 3];
}
extern "C" __global__ void opt(const float* A, float* B) {
  int t = threadIdx.x / 3, j = threadIdx.x % 3;
  const float* a = A + t * 9;
  int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
  float d = 0;
  for (int i = 0; i < 3; i++) {
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    d += a[i] * (a[3 + i1] * a[6 + i2] - a[3 + i2] * a[6 + i1]);
  }
  float r = 1.f / d;
  for (int i = 0; i < 3; i++) {
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    float c = a[j1 * 3 + i1] * a[j2 * 3 + i2] - a[j1 * 3 + i2] * a[j2 * 3 + i1];
    if (MUT == 1 && i == 1) c = -c;
    B[t * 9 + (MUT == 2 ? j * 3 + i : i * 3 + j)] = c * r;
  }
}
