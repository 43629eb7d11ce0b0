// Within each segment of eight lanes: the element DISTANCE places up plus the one DISTANCE places
// down; a lane at the edge of its segment gets its own element instead.
extern "C" __global__ void shuffle_segments(const float *x, float *y) {
    int i = threadIdx.x;
    float value = x[i];
    float below = __shfl_up_sync(0xffffffff, value, DISTANCE, 8);
    float above = __shfl_down_sync(0xffffffff, value, DISTANCE, 8);
    y[i] = below + above;
}
