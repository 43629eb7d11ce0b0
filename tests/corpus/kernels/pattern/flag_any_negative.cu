// Sets one common flag where an element is negative: with two negative elements two threads store
// to it, without an order.
extern "C" __global__ void flag_any_negative(const float *x, float *flag) {
    int i = threadIdx.x;
    if (x[i] < 0.0f) flag[0] = 1.0f;
}
