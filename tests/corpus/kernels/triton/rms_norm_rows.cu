// Root-mean-square normalisation of each row of a matrix with COLUMNS columns: one thread per row,
// one row per block.
extern "C" __global__ void rms_norm_rows(const float *x, float *y, const float *w) {
    x += blockIdx.x * COLUMNS;
    y += blockIdx.x * COLUMNS;
    float squares = 0.0f;
    for (int i = 0; i < COLUMNS; ++i) squares += x[i] * x[i];
    for (int i = 0; i < COLUMNS; ++i) y[i] = x[i] / sqrtf(squares / COLUMNS + 1e-6f) * w[i];
}
