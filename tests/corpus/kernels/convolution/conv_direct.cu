// 2-D convolution, stride 1, with a border of PAD zeros, as the formula reads: x is H x W x C, the
// filters are F x R x S x C, y is H x W x F. One thread per output element.
extern "C" __global__ void conv_direct(const float *x, const float *w, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int f = i % F, column = i / F % W, row = i / F / W;
    float sum = 0.0f;
#pragma unroll 1
    for (int r = 0; r < R; ++r)
#pragma unroll 1
        for (int s = 0; s < S; ++s) {
            int from_row = row + r - PAD, from_column = column + s - PAD;
            if (from_row < 0 || from_row >= H || from_column < 0 || from_column >= W) continue;
#pragma unroll 4
            for (int c = 0; c < C; ++c)
                sum += x[(from_row * W + from_column) * C + c] * w[((f * R + r) * S + s) * C + c];
        }
    y[i] = sum;
}
