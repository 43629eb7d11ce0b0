// Marks places of an image of 4 rows of 8 floats that data say, one of 16 columns each.

extern "C" __global__ void mark(const int* at, cudaSurfaceObject_t image) {
    int i = threadIdx.x;
    // wrong: half of the columns are outside
    surf2Dwrite(1.0f, image, (at[i] & 15) * (int)sizeof(float), i);
}

extern "C" __global__ void mark_zero(const int* at, cudaSurfaceObject_t image) {
    int i = threadIdx.x;
    surf2Dwrite(1.0f, image, (at[i] & 15) * (int)sizeof(float), i, cudaBoundaryModeZero);
}

extern "C" __global__ void mark_by_hand(const int* at, float* image) {
    int i = threadIdx.x, x = at[i] & 15;
    if (x < 8) image[i * 8 + x] = 1.0f;
}
