// One function with its parameters in two orders; and with a whole number for the factor.
extern "C" __global__ void scaled(const float *x, float *y, float a, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = a * x[i];
}
extern "C" __global__ void turned(float *y, const float *x, int n, float a) {
    int i = threadIdx.x;
    if (i < n) y[i] = x[i] * a;
}
extern "C" __global__ void turned_wrong(float *y, const float *x, int n, float a) {
    int i = threadIdx.x;
    if (i < n) y[i] = x[i] + a;
}
extern "C" __global__ void by_whole(const float *x, float *y, int a, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = (float)a * x[i];
}
