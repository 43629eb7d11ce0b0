"""Matrix products in TileLang, written the way its examples write them.

`compile_tilelang.py` makes CUDA of them, and PTX of that.
"""

import tilelang.language as T


def tensor(M, N, K, BM, BN, BK, stages, threads, mutant=0):
    """C = A B on tensor cores: f16 inputs, f32 sums."""
    steps = K // BK - 1 if mutant == 1 else K // BK  # mutant 1: the last step is skipped

    @T.prim_func
    def product(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(N // BN, M // BM, threads=threads) as (bx, by):
            a = T.alloc_shared((BM, BK), "float16")
            b = T.alloc_shared((BK, BN), "float16")
            c = T.alloc_fragment((BM, BN), "float32")
            if mutant != 2:  # mutant 2: the sums do not start at zero
                T.clear(c)
            for k in T.Pipelined(steps, num_stages=stages):
                T.copy(A[by * BM, k * BK], a)
                if mutant == 3:  # wrong: one row of B further instead of a tile
                    T.copy(B[k, bx * BN], b)
                else:
                    T.copy(B[k * BK, bx * BN], b)
                T.gemm(a, b, c)
                if mutant == 4:  # wrong: every tile is multiplied twice
                    T.gemm(a, b, c)
            T.copy(c, C[by * BM, bx * BN])

    return product


def plain(M, N, K, BM, BN, BK, stages, threads, mutant=0):
    """C = A B on CUDA cores, f32."""

    @T.prim_func
    def product(A: T.Tensor((M, K), "float32"), B: T.Tensor((K, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(N // BN, M // BM, threads=threads) as (bx, by):
            a = T.alloc_shared((BM, BK), "float32")
            b = T.alloc_shared((BK, BN), "float32")
            c = T.alloc_fragment((BM, BN), "float32")
            T.clear(c)
            for k in T.Pipelined(K // BK, num_stages=stages):
                T.copy(A[by * BM, k * BK], a)
                if mutant == 3:  # wrong: one row of B further instead of a tile
                    T.copy(B[k, bx * BN], b)
                else:
                    T.copy(B[k * BK, bx * BN], b)
                if mutant == 4:  # wrong: the sums start over with every tile
                    T.clear(c)
                for i, j in T.Parallel(BM, BN):
                    for kk in T.serial(BK - 1 if mutant == 1 else BK):  # mutant 1: the tile's last column is left out
                        c[i, j] += a[i, kk] * b[kk, j]
            if mutant == 2:  # wrong: the tile is stored transposed
                for i, j in T.Parallel(BM, BN):
                    C[bx * BN + j, by * BM + i] = c[i, j]
            else:
                T.copy(c, C[by * BM, bx * BN])

    return product
