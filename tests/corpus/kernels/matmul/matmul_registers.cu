// C = A B with a 4 x 4 block of C per thread in registers, 16-byte loads, and double-buffered
// tiles: one barrier per tile suffices. Blocks of (TILE / 4) x (TILE / 4) threads, slices of four.
extern "C" __global__ void matmul_registers(const float *__restrict__ A,
                                            const float *__restrict__ B, float *__restrict__ C) {
    __shared__ float4 a[2][TILE];      // one slice of four columns of A per row
    __shared__ float4 b[2][4][TILE / 4];  // four rows of B
    int tx = threadIdx.x, ty = threadIdx.y, width = TILE / 4;
    int thread = ty * width + tx;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sum[4][4] = {};

    for (int start = 0, now = 0; start < DEPTH; start += 4, now ^= 1) {
        for (int r = thread; r < TILE; r += width * width)
            a[now][r] = *reinterpret_cast<const float4 *>(A + (top + r) * DEPTH + start);
        for (int r = thread; r < TILE; r += width * width)
            b[now][r / width][r % width] = *reinterpret_cast<const float4 *>(
                B + (start + r / width) * SIZE + left + r % width * 4);
        __syncthreads();
        for (int u = 0; u < 4; ++u) {
            float4 row = a[now][ty * 4 + u];
            float left_hand[4] = {row.x, row.y, row.z, row.w};
            for (int k = 0; k < 4; ++k) {
                float4 v = b[now][k][tx];
                sum[u][0] += left_hand[k] * v.x;
                sum[u][1] += left_hand[k] * v.y;
                sum[u][2] += left_hand[k] * v.z;
                sum[u][3] += left_hand[k] * v.w;
            }
        }
    }
    for (int u = 0; u < 4; ++u)
        *reinterpret_cast<float4 *>(C + (top + ty * 4 + u) * SIZE + left + tx * 4) =
            make_float4(sum[u][0], sum[u][1], sum[u][2], sum[u][3]);
}
