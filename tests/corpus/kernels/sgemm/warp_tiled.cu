// sgemm_vectorised in two more levels: each of four warps owns a 32 x 32 corner of C and goes over
// it in two steps of 16 x 32, in which a lane computes 4 x 4 elements. 128 threads; DEPTH is a
// multiple of four. MUTANT picks one deliberate fault.
#ifndef MUTANT
#define MUTANT 0
#endif
#define BK 16

static __device__ bool inside(int k) {
#if MUTANT == 8
    return true;  // missing: k < DEPTH
#else
    return DEPTH % BK == 0 || k < DEPTH;
#endif
}

extern "C" __global__ void sgemm_warp_tiled(float alpha, const float *__restrict__ A,
                                            const float *__restrict__ B, float beta, float *__restrict__ C) {
    __shared__ __align__(16) float a[BK * 64], b[BK * 64];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
#if MUTANT == 5
    int lane_row = lane / 8 * 4, lane_column = lane % 4 * 4;  // wrong: lane % 8
#else
    int lane_row = lane / 8 * 4, lane_column = lane % 8 * 4;
#endif
    float sums[2][4][4] = {};
#pragma unroll 1
#if MUTANT == 3
    for (int start = 0; start < DEPTH - BK; start += BK) {  // wrong: DEPTH
#else
    for (int start = 0; start < DEPTH; start += BK) {
#endif
#pragma unroll 2
        for (int i = tid; i < 64 * BK / 4; i += 128) {
            int r = i / (BK / 4), k = i % (BK / 4) * 4;
            float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (inside(start + k)) v = *reinterpret_cast<const float4 *>(A + r * DEPTH + start + k);
            float part[4] = {v.x, v.y, v.z, v.w};
            for (int j = 0; j < 4; ++j) a[(k + j) * 64 + r] = part[j];
        }
#pragma unroll 2
        for (int i = tid; i < BK * 64 / 4; i += 128) {
            int k = i / 16, n = i % 16 * 4;
            float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (inside(start + k)) v = *reinterpret_cast<const float4 *>(B + (start + k) * 64 + n);
            *reinterpret_cast<float4 *>(b + k * 64 + n) = v;
        }
#if MUTANT == 1
        __syncwarp();  // wrong: __syncthreads
#else
        __syncthreads();
#endif
#pragma unroll 1
        for (int k = 0; k < BK; ++k) {
            float left[2][4], right[4];
            for (int m = 0; m < 2; ++m)
                for (int i = 0; i < 4; ++i)
#if MUTANT == 6
                    left[m][i] = a[k * 64 + warp_row + lane_row + i];  // missing: + m * 16
#else
                    left[m][i] = a[k * 64 + warp_row + m * 16 + lane_row + i];
#endif
#if MUTANT == 4
            for (int j = 0; j < 4; ++j) right[j] = b[k * 64 + warp_row + lane_column + j];  // wrong: warp_column
#else
            for (int j = 0; j < 4; ++j) right[j] = b[k * 64 + warp_column + lane_column + j];
#endif
            for (int m = 0; m < 2; ++m)
                for (int i = 0; i < 4; ++i)
                    for (int j = 0; j < 4; ++j) sums[m][i][j] += left[m][i] * right[j];
        }
#if MUTANT == 2
        __syncwarp();  // wrong: __syncthreads
#else
        __syncthreads();
#endif
    }
    for (int m = 0; m < 2; ++m)
        for (int i = 0; i < 4; ++i) {
            float *at = C + (warp_row + m * 16 + lane_row + i) * 64 + warp_column + lane_column;
            float4 v = *reinterpret_cast<float4 *>(at);
            v.x = alpha * sums[m][i][0] + beta * v.x;
            v.y = alpha * sums[m][i][1] + beta * v.y;
#if MUTANT == 7
            v.z = alpha * sums[m][i][3] + beta * v.z;  // wrong: [2]
#else
            v.z = alpha * sums[m][i][2] + beta * v.z;
#endif
            v.w = alpha * sums[m][i][3] + beta * v.w;
            *reinterpret_cast<float4 *>(at) = v;
        }
}
