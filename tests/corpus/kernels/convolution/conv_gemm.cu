// The same convolution as an implicit matrix product on tensor cores: rows are output pixels,
// columns are filters, the depth is R * S * C. x and w are f16, y is f32. Which tap and channel a
// chunk of 8 steps of the depth belongs to is looked up in a table in shared memory that is filled
// once; tiles go from global memory (16 bytes at a time) through registers into one of two buffers
// while the other is multiplied. A block makes BM pixels by BN filters with WARPS_M x WARPS_N warps;
// shared rows are padded by 16 bytes. MUTANT picks one deliberate fault.
#include <cuda_fp16.h>

#ifndef MUTANT
#define MUTANT 0
#endif
#define THREADS (32 * WARPS_M * WARPS_N)
#define DEPTH (R * S * C)
#define STEPS (DEPTH / BK)
#define PER_ROW (BK / 8)             // chunks of a tile's row
#define CHUNKS (DEPTH / 8)           // chunks of the whole depth
#define WM (BM / WARPS_M)            // pixels of a warp
#define WN (BN / WARPS_N)            // filters of a warp
#define PITCH (BK + 8)
#define MINE_A (BM * PER_ROW / THREADS)
#define MINE_B (BN * PER_ROW / THREADS)

#if MUTANT == 1  // wrong: one entry short
#define TABLE (CHUNKS - 1)
#elif MUTANT == 3  // repaired: room for the two steps behind the last
#define TABLE (CHUNKS + 2 * PER_ROW)
#else
#define TABLE CHUNKS
#endif

__device__ __forceinline__ void load4(unsigned (&r)[4], const half *from) {
    unsigned address = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(THREADS)
conv_gemm(const half *x, const half *w, float *y) {
#ifdef TABLE_FIRST  // what lies behind the end of the table belongs to another array then
    __shared__ int2 table[TABLE];
#endif
    __shared__ __align__(16) half a[2][BM * PITCH], b[2][BN * PITCH];
    __shared__ int pixel[BM];      // 65536 * row + column
#ifndef TABLE_FIRST
    __shared__ int2 table[TABLE];  // per chunk: offset of its tap and channel in x, 256 * r + s
#endif
    const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    const int first_pixel = blockIdx.x * BM, first_filter = blockIdx.y * BN;

    for (int i = tid; i < TABLE; i += THREADS) {
#if MUTANT == 8  // wrong: r and s are swapped
        int s = i * 8 / (S * C), r = i * 8 / C % S, c = i * 8 % C;
#else
        int r = i * 8 / (S * C), s = i * 8 / C % S, c = i * 8 % C;
#endif
#if MUTANT == 12  // wrong: a chunk begins at its second channel
        table[i].x = ((r - PAD) * W + s - PAD) * C + c + 1;
#else
        table[i].x = ((r - PAD) * W + s - PAD) * C + c;
#endif
        table[i].y = r * 256 + s;
    }
    for (int i = tid; i < BM; i += THREADS)
        pixel[i] = (first_pixel + i) / W * 65536 + (first_pixel + i) % W;
#if MUTANT != 6  // missing: the table is not there yet
    __syncthreads();
#endif

    int2 entry[MINE_A];  // looked up a round before they are needed
    auto look_up = [&](int step) {
        for (int i = 0; i < MINE_A; ++i) entry[i] = table[step * PER_ROW + (tid + i * THREADS) % PER_ROW];
    };
    uint4 from_x[MINE_A], from_w[MINE_B];
    auto fetch = [&](int step) {
        for (int i = 0; i < MINE_A; ++i) {
            int m = (tid + i * THREADS) / PER_ROW;
            int row = pixel[m] / 65536 + entry[i].y / 256 - PAD, column = pixel[m] % 65536 + entry[i].y % 256 - PAD;
            from_x[i] = make_uint4(0, 0, 0, 0);
#if MUTANT == 7  // missing: the right border
            if (row >= 0 && row < H && column >= 0)
#else
            if (row >= 0 && row < H && column >= 0 && column < W)
#endif
                from_x[i] = *reinterpret_cast<const uint4 *>(x + (first_pixel + m) * C + entry[i].x);
        }
        for (int i = 0; i < MINE_B; ++i) {
            int at = tid + i * THREADS, n = at / PER_ROW, chunk = step * PER_ROW + at % PER_ROW;
            from_w[i] = *reinterpret_cast<const uint4 *>(w + (first_filter + n) * DEPTH + chunk * 8);
        }
    };
    auto put = [&](int buffer) {
        for (int i = 0; i < MINE_A; ++i) {
            int at = tid + i * THREADS;
            *reinterpret_cast<uint4 *>(&a[buffer][at / PER_ROW * PITCH + at % PER_ROW * 8]) = from_x[i];
        }
        for (int i = 0; i < MINE_B; ++i) {
            int at = tid + i * THREADS;
            *reinterpret_cast<uint4 *>(&b[buffer][at / PER_ROW * PITCH + at % PER_ROW * 8]) = from_w[i];
        }
    };

    look_up(0);
    fetch(0);
    put(0);
    look_up(1);
    __syncthreads();

    const int m0 = warp % WARPS_M * WM, n0 = warp / WARPS_M * WN;
    float sum[WM / 16][WN / 8][4] = {};
#if MUTANT == 9  // wrong: the last step is skipped
    const int stop = STEPS - 1;
#else
    const int stop = STEPS;
#endif
#pragma unroll 1
    for (int step = 0; step < stop; ++step) {
        const int now = step % 2;
        if (step + 1 < STEPS) fetch(step + 1);
#if MUTANT == 2 || MUTANT == 3  // wrong without room for it: the last rounds look behind the table
        look_up(step + 2);
#else
        if (step + 2 < STEPS) look_up(step + 2);
#endif
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            unsigned left[WM / 16][4], right[WN / 16][4];
#pragma unroll
            for (int m = 0; m < WM / 16; ++m)
                load4(left[m], &a[now][(m0 + m * 16 + lane % 16) * PITCH + k + lane / 16 * 8]);
#pragma unroll
            for (int n = 0; n < WN / 16; ++n)
                load4(right[n], &b[now][(n0 + n * 16 + lane % 8 + lane / 16 * 8) * PITCH + k + lane / 8 % 2 * 8]);
#pragma unroll
            for (int m = 0; m < WM / 16; ++m)
#pragma unroll
                for (int n = 0; n < WN / 16; ++n) {
#if MUTANT == 10  // wrong: registers 1 and 2 of the right fragment are swapped
                    mma(sum[m][2 * n], left[m], right[n][0], right[n][2]);
                    mma(sum[m][2 * n + 1], left[m], right[n][1], right[n][3]);
#else
                    mma(sum[m][2 * n], left[m], right[n][0], right[n][1]);
                    mma(sum[m][2 * n + 1], left[m], right[n][2], right[n][3]);
#endif
                }
        }
#if MUTANT == 5  // wrong: into the buffer that is being multiplied
        if (step + 1 < STEPS) put(now);
#else
        if (step + 1 < STEPS) put(1 - now);
#endif
#if MUTANT != 4  // missing: slow warps still multiply, and the next tile is not there yet
        __syncthreads();
#endif
    }

#pragma unroll
    for (int m = 0; m < WM / 16; ++m)
#pragma unroll
        for (int n = 0; n < WN / 8; ++n)
#pragma unroll
            for (int i = 0; i < 2; ++i) {
#if MUTANT == 11  // wrong: the halves of a fragment are four rows apart, not eight
                int row = first_pixel + m0 + m * 16 + lane / 4 + i * 4;
#else
                int row = first_pixel + m0 + m * 16 + lane / 4 + i * 8;
#endif
                int column = first_filter + n0 + n * 8 + lane % 4 * 2;
                *reinterpret_cast<float2 *>(y + row * F + column) = make_float2(sum[m][n][2 * i], sum[m][n][2 * i + 1]);
            }
}
