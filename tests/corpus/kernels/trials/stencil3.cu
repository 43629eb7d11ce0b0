// A seven-point stencil on 6 x 6 x 6: one thread a point, and planes through shared memory.
// MUT 1, wrong: Takes the left neighbour twice.
// MUT 2, wrong: Stores the next plane before all have read.
// MUT 3, wrong: Keeps an old plane once.
#ifndef MUT
#define MUT 0
#endif
#define I(z, y, x) ((z) * 36 + (y) * 6 + (x))
extern "C" __global__ void ref(const float* a, float* b) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  if (x < 1 || x > 4 || y < 1 || y > 4 || z < 1 || z > 4) return;
  b[I(z, y, x)] = 0.4f * a[I(z, y, x)] + 0.1f * (a[I(z - 1, y, x)] + a[I(z + 1, y, x)] + a[I(z, y - 1, x)] +
                                                 a[I(z, y + 1, x)] + a[I(z, y, x - 1)] + a[I(z, y, x + 1)]);
}
// 2.5D: plane in shared memory, z in registers
extern "C" __global__ void opt(const float* a, float* b) {
  __shared__ float s[6][6];
  int x = threadIdx.x, y = threadIdx.y;
  float below = a[I(0, y, x)], cur = a[I(1, y, x)], above;
  bool in = x >= 1 && x <= 4 && y >= 1 && y <= 4;
#pragma unroll 1
  for (int z = 1; z < 5; z++) {
    above = a[I(z + 1, y, x)];
#if MUT != 2
    __syncthreads();
#endif
    s[y][x] = cur;
    __syncthreads();
    if (in)
      b[I(z, y, x)] =
          0.1f * (below + above + s[y - 1][x] + s[y + 1][x] + s[y][x - 1] + s[y][MUT == 1 ? x - 1 : x + 1]) +
          0.4f * cur;
    if (MUT != 3 || z != 2) below = cur;
    cur = above;
  }
}
