// y = a x + y with all parameters in one structure passed by value.
struct Vectors {
    int n;
    float a;
    const float *x;
    float *y;
};

extern "C" __global__ void saxpy_struct(Vectors v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.n) v.y[i] = v.a * v.x[i] + v.y[i];
}
