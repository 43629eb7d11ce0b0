// A 16 x 16 matrix of halves copied (or, with TRANSPOSED, transposed). Launch: one block of 256.
extern "C" __global__ void plain_moves(const unsigned short *X, unsigned short *Y) {
    int row = threadIdx.x / 16, col = threadIdx.x % 16;
#ifdef TRANSPOSED
    Y[col * 16 + row] = X[row * 16 + col];
#else
    Y[row * 16 + col] = X[row * 16 + col];
#endif
}
