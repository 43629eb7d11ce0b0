// What handwritten/other_producers.ptx computes.
struct alignas(16) Out { float reversed[4]; float twice; int number; float first; int five; float halves[4]; };

extern "C" __global__ void mixed(const float4 *X, Out *Y) {
    int i = threadIdx.x;
    float4 v = X[i];
    Out *y = Y + i;
    y->reversed[0] = v.w; y->reversed[1] = v.z; y->reversed[2] = v.y; y->reversed[3] = v.x;
    y->twice = 2 * 3.14159274f;
    y->number = i + 7;
    y->first = v.x;
    y->five = 5;
    y->halves[0] = v.z; y->halves[1] = v.w; y->halves[2] = v.x; y->halves[3] = v.y;
}
