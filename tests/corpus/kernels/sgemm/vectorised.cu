// sgemm_2d with 16-byte loads and stores, and the tile of A transposed on its way into shared
// memory. LAYOUT says how the tile of B lies there: 0 row by row; 1 every eighth column side by side, so
// that the threads of a row read neighbouring words; 2 row by row, each row five words wider than it
// needs. 64 threads; DEPTH is a multiple of four. MUTANT picks one deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif
#define BK 8
#if LAYOUT != 2
#define WIDTH 64
#elif MUTANT == 10
#define WIDTH 60  // wrong: at least 64
#else
#define WIDTH 69
#endif

// Where the element of the B tile in row k and column n lies.
static __device__ int place(int k, int n) {
#if LAYOUT != 1
    return k * WIDTH + n;
#elif MUTANT == 11
    return (k * 8 + n / 8) * 8 + n % 8;  // no fault: another layout, on both sides
#else
    return (k * 8 + n % 8) * 8 + n / 8;
#endif
}

static __device__ bool inside(int k) {
#if MUTANT == 9
    return true;  // missing: k < DEPTH
#else
    return DEPTH % BK == 0 || k < DEPTH;
#endif
}

extern "C" __global__ void sgemm_vectorised(float alpha, const float *__restrict__ A,
                                            const float *__restrict__ B, float beta, float *__restrict__ C) {
    __shared__ __align__(16) float a[BK * 64], b[(BK - 1) * WIDTH + 64];
    int tid = threadIdx.x, column = tid % 8, row = tid / 8;
    float sums[8][8] = {};
#pragma unroll 1
#if MUTANT == 3
    for (int start = 0; start + BK < DEPTH; start += BK) {  // wrong: start < DEPTH
#else
    for (int start = 0; start < DEPTH; start += BK) {
#endif
        for (int i = tid; i < 64 * BK / 4; i += 64) {
            int r = i / (BK / 4), k = i % (BK / 4) * 4;
            float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#if MUTANT == 5
            if (inside(start + k)) v = *reinterpret_cast<const float4 *>(A + r * DEPTH + start + k / 4);  // wrong: k
#else
            if (inside(start + k)) v = *reinterpret_cast<const float4 *>(A + r * DEPTH + start + k);
#endif
#if MUTANT == 4
            float part[4] = {v.x, v.z, v.y, v.w};  // wrong: x, y, z, w
#else
            float part[4] = {v.x, v.y, v.z, v.w};
#endif
            for (int j = 0; j < 4; ++j) a[(k + j) * 64 + r] = part[j];
        }
        for (int i = tid; i < BK * 64 / 4; i += 64) {
            int k = i / 16, n = i % 16 * 4;
            float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (inside(start + k)) v = *reinterpret_cast<const float4 *>(B + (start + k) * 64 + n);
#if LAYOUT == 0
            *reinterpret_cast<float4 *>(b + place(k, n)) = v;
#else
            float part[4] = {v.x, v.y, v.z, v.w};
#if MUTANT == 12
            for (int j = 0; j < 4; ++j) b[(k * 8 + n / 32 * 4 + j) * 8 + n / 4 % 8] = part[j];  // wrong: place
#else
            for (int j = 0; j < 4; ++j) b[place(k, n + j)] = part[j];
#endif
#endif
        }
#if MUTANT != 1  // missing: the tiles are not there yet
        __syncthreads();
#endif
#pragma unroll 1
        for (int k = 0; k < BK; ++k) {
            float4 low = *reinterpret_cast<float4 *>(a + k * 64 + row * 8);
            float4 high = *reinterpret_cast<float4 *>(a + k * 64 + row * 8 + 4);
            float left[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}, right[8];
#if MUTANT == 14
            for (int j = 0; j < 8; ++j) right[j] = b[k * 64 + column * 8 + j];  // wrong: place
#elif MUTANT == 15
            for (int j = 0; j < 8; ++j) right[j] = b[place(k, j * 8 + column)];  // wrong: column * 8 + j
#else
            for (int j = 0; j < 8; ++j) right[j] = b[place(k, column * 8 + j)];
#endif
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) sums[i][j] += left[i] * right[j];
        }
#if MUTANT != 2  // missing: others still read the tiles
        __syncthreads();
#endif
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
#if MUTANT == 6
            float4 *at = reinterpret_cast<float4 *>(C + (row * 8 + i) * 64 + column * 8);  // missing: + j
#else
            float4 *at = reinterpret_cast<float4 *>(C + (row * 8 + i) * 64 + column * 8 + j);
#endif
            float4 v = *at;
#if MUTANT == 7
            v.x = alpha * sums[i][j] + beta;  // missing: * v.x
#elif MUTANT == 8
            v.x = alpha * (alpha * sums[i][j]) + beta * v.x;  // wrong: alpha once
#else
            v.x = alpha * sums[i][j] + beta * v.x;
#endif
            v.y = alpha * sums[i][j + 1] + beta * v.y;
            v.z = alpha * sums[i][j + 2] + beta * v.z;
            v.w = alpha * sums[i][j + 3] + beta * v.w;
            *at = v;
        }
}
