// D = A B + C on one warp by nvcuda::wmma, in elements of 4 bits (KIND 1), or of one bit: those that differ (KIND 2) or
// that both have (KIND 3). Without KIND the definition: A by rows, B by columns, SIGNED or not, BITS an element.
#ifdef KIND
#include <mma.h>
using namespace nvcuda;
using namespace nvcuda::wmma::experimental;
#if KIND == 1
typedef precision::s4 Type;
#define K 32
#else
typedef precision::b1 Type;
#define K 128
#endif
extern "C" __global__ void product(const unsigned *A, const unsigned *B, const int *C, int *D) {
    wmma::fragment<wmma::matrix_a, 8, 8, K, Type, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, K, Type, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> sum;
    wmma::load_matrix_sync(sum, C, 8, wmma::mem_row_major);
    wmma::load_matrix_sync(left, A, K);
    wmma::load_matrix_sync(right, B, K);
#if KIND == 1
    wmma::mma_sync(sum, left, right, sum);
#elif KIND == 2
    bmma_sync(sum, left, right, sum);
#else
    bmma_sync(sum, left, right, sum, bmmaBitOpAND);
#endif
    wmma::store_matrix_sync(D, sum, 8, wmma::mem_row_major);
}
#else
__device__ int element(const unsigned *words, int line, int at) {
#if BITS == 4
    return (int)(words[line * 4 + at / 8] << 28 - 4 * (at % 8)) >> 28;
#else
    return words[line * 4 + at / 32] >> at % 32 & 1;
#endif
}

extern "C" __global__ void product(const unsigned *A, const unsigned *B, const int *C, int *D) {
    int row = threadIdx.x / 8, col = threadIdx.x % 8;
    int sum = C[threadIdx.x];
    for (int k = 0; k < 128 / BITS; ++k) {
        int a = element(A, row, k), b = element(B, col, k);
#if BITS == 4
        sum += a * b;
#elif defined(BOTH)
        sum += a & b;
#else
        sum += a ^ b;
#endif
    }
    D[threadIdx.x] = sum;
}
#endif
