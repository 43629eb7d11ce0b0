// A product of 16 x 64 and 64 x 8 halves: in floats, and by mma with ldmatrix out of swizzled
// shared memory.
// MUT 1, wrong: Stores with another swizzle than it reads with.
// MUT 2, wrong: Two registers of a fragment are exchanged.
// MUT 3, wrong: Does not wait for the other lanes' stores.
// MUT 4, wrong: Stores the first of two sums twice.
#ifndef MUT
#define MUT 0
#endif
#include <cuda_fp16.h>
extern "C" __global__ void ref(const __half* A, const __half* B, float* C) {
  for (int e = threadIdx.x; e < 128; e += 32) {
    int m = e / 8, n = e % 8;
    float s = 0;
    for (int k = 0; k < 64; k++) s += __half2float(A[m * 64 + k]) * __half2float(B[n * 64 + k]);
    C[e] = s;
  }
}
typedef unsigned u32;
extern "C" __global__ void opt(const uint4* A, const uint4* B, float* C) {
  __shared__ uint4 sa[16 * 8], sb[8 * 8];
  int t = threadIdx.x;
  for (int i = t; i < 128; i += 32) {
    int r = i / 8, c = i % 8;
    sa[r * 8 + (c ^ (r & 7))] = A[i];
  }
  for (int i = t; i < 64; i += 32) {
    int r = i / 8, c = i % 8;
    sb[r * 8 + (c ^ (MUT == 1 ? ((r + 1) & 7) : (r & 7)))] = B[i];
  }
#if MUT != 3
  __syncwarp();
#endif
  float c[4] = {};
  for (int k = 0; k < 4; k++) {
    u32 a[4], b[2];
    int r = t % 16, ch = 2 * k + t / 16;
    u32 ad = (u32)__cvta_generic_to_shared(&sa[r * 8 + (ch ^ (r & 7))]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(ad)
                 : "memory");
    int rb = t % 8, cb = 2 * k + ((t / 8) & 1);
    u32 bd = (u32)__cvta_generic_to_shared(&sb[rb * 8 + (cb ^ (rb & 7))]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(bd)
                 : "memory");
    if (MUT == 2) {
      u32 q = a[1];
      a[1] = a[2];
      a[2] = q;
    }
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  int g = t / 4, j = (t % 4) * 2;
  C[g * 8 + j] = c[0];
  C[g * 8 + j + 1] = MUT == 4 ? c[0] : c[1];
  C[(g + 8) * 8 + j] = c[2];
  C[(g + 8) * 8 + j + 1] = c[3];
}
