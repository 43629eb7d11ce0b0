// C = A B for an M x K matrix A and a K x N matrix B, row-major, M and N at most 32: the definition,
// element by element, which the generated kernels beside this file have to meet. 512 threads.
// INPUT is the type of A and B.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(512) gemm_naive(const INPUT *A, const INPUT *B, float *C) {
    for (int i = threadIdx.x; i < M * N; i += 512) {
        float sum = 0.0f;
#pragma unroll 4
        for (int k = 0; k < K; ++k) sum += (float)A[i / N * K + k] * (float)B[k * N + i % N];
        C[i] = sum;
    }
}
