// Each half of a warp meets at its own barrier, then lanes look DISTANCE places across: within
// the half that is ordered, across the halves it is not. The row is filled beforehand.
extern "C" __global__ void half_mask(const float *x, float *y) {
    __shared__ float row[32];
    int i = threadIdx.x;
    row[i] = 0.0f;
    __syncthreads();
    row[i] = x[i];
    if (i < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    y[i] = row[i ^ DISTANCE];
}
