// Appends x[i] to out wherever keep[i] is set, taking the place from a ballot: always in order.
// One warp.
extern "C" __global__ void compact_ballot(const float *x, const int *keep, float *out) {
    int i = threadIdx.x;
    unsigned kept = __ballot_sync(0xffffffff, keep[i] != 0);
    unsigned before = kept & ((1u << i) - 1);
    if (keep[i]) out[__popc(before)] = x[i];
}
