// Module variables: the host sets them, and earlier launches change them.
__constant__ float weight[32];
__constant__ float initial[4] = {1, 2, 3, 4};
__device__ float state[32];
__device__ int turns;
struct Settings { float scale; float shift; };
__constant__ Settings settings;

extern "C" __global__ void copy(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = x[t];
}

extern "C" __global__ void weighted(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = x[t] + weight[t];
}

extern "C" __global__ void weighted_again(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = weight[t] + x[t];
}

extern "C" __global__ void weighted_by_pointer(const float *x, const float *w, float *y) {
    int t = threadIdx.x;
    y[t] = w[t] + x[t];
}

extern "C" __global__ void counted(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = x[t] * (float)((t & 3) + 1);
}

extern "C" __global__ void tabled(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = x[t] * initial[t & 3];
}

extern "C" __global__ void tabled_inside(const float *x, float *y) {
    static const float table[4] = {1, 2, 3, 4};
    int t = threadIdx.x;
    y[t] = x[t] * table[t & 3];
}

extern "C" __global__ void keep(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = x[t];
    state[t] = x[t];
}

extern "C" __global__ void keep_twice(const float *x, float *y) {
    int t = threadIdx.x;
    state[t] = 2 * x[t];
    y[t] = x[t];
}

extern "C" __global__ void turn(const float *x, float *y) {
    int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < turns; ++i)
        sum += x[t];
    y[t] = sum;
}

extern "C" __global__ void affine(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = settings.scale * x[t] + settings.shift;
}

extern "C" __global__ void affine_swapped(const float *x, float *y) {
    int t = threadIdx.x;
    y[t] = settings.shift * x[t] + settings.scale;
}
