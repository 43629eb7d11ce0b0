// D = A B + C on one warp, B by columns,, by nvcuda::wmma in the type that KIND says: 1 tf32, 2 double, 3 signed bytes.
#include <mma.h>
using namespace nvcuda;
#if KIND == 1
typedef float In;
typedef float Sum;
typedef wmma::precision::tf32 Type;
#define M 16
#define N 16
#define K 8
#elif KIND == 2
typedef double In;
typedef double Sum;
typedef double Type;
#define M 8
#define N 8
#define K 4
#else
typedef signed char In;
typedef int Sum;
typedef signed char Type;
#define M 16
#define N 16
#define K 16
#endif
extern "C" __global__ void wmma_types(const In *A, const In *B, const Sum *C, Sum *D) {
    wmma::fragment<wmma::matrix_a, M, N, K, Type, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, M, N, K, Type, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    wmma::load_matrix_sync(sum, C, N, wmma::mem_row_major);
    wmma::load_matrix_sync(left, A, K);
    wmma::load_matrix_sync(right, B, K);
#if KIND == 1
    for (int i = 0; i < left.num_elements; ++i) left.x[i] = wmma::__float_to_tf32(left.x[i]);
    for (int i = 0; i < right.num_elements; ++i) right.x[i] = wmma::__float_to_tf32(right.x[i]);
#endif
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(D, sum, N, wmma::mem_row_major);
}
