// y = 2 x, each tile of WIDTH elements in reverse order (or as it is, with FORWARD, and zeros from n
// on). Launch: TILES blocks' worth of work by one block of WIDTH threads.
extern "C" __global__ void plain_copies(const float *x, float *y, int n) {
    for (int tile = 0; tile < TILES; ++tile) {
        int t = threadIdx.x;
#ifdef FORWARD
        int from = tile * WIDTH + t;
        y[from] = from < n ? 2.0f * x[from] : 0.0f;
#else
        y[tile * WIDTH + t] = 2.0f * x[tile * WIDTH + WIDTH - 1 - t];
#endif
    }
}
