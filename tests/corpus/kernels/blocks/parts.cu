// The same outputs, divided between the blocks of a grid in different ways.
// doubled: one element a thread. coarse: four. backwards: the last block first. total: one thread adds all up.
// added: every thread adds its element. WRONG 1: coarse leaves out what the last block's threads begin with;
// 2: added adds the first block's elements twice.
#ifndef WRONG
#define WRONG 0
#endif
extern "C" __global__ void doubled(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}
extern "C" __global__ void coarse(const float *x, float *y, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = WRONG == 1 && blockIdx.x == gridDim.x - 1; k < 4; k++)
        if (first + k < n) y[first + k] = x[first + k] + x[first + k];
}
extern "C" __global__ void backwards(const float *x, float *y, int n) {
    int i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + x[i];
}
extern "C" __global__ void total(const float *x, float *y, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float sum = y[0];
        for (int i = 0; i < n; i++) sum += x[i];
        y[0] = sum;
    }
}
extern "C" __global__ void added(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(y, WRONG == 2 && blockIdx.x == 0 ? 2.0f * x[i] : x[i]);
}
