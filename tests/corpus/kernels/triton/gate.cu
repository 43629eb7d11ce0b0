// One thread for each row: the expert of the largest logit, and its probability.

extern "C" __global__ void gate(const float *x, float *weight, int *expert) {
    const float *row = x + threadIdx.x * EXPERTS;
    int best = 0;
#pragma unroll
    for (int at = 1; at < EXPERTS; at++)
        if (row[at] > row[best]) best = at;
    float largest = row[0], sum = 0;
#pragma unroll
    for (int at = 1; at < EXPERTS; at++) largest = fmaxf(largest, row[at]);
#pragma unroll
    for (int at = 0; at < EXPERTS; at++) sum += __expf(row[at] - largest);
    weight[threadIdx.x] = 1.f / sum;
    expert[threadIdx.x] = best;
}
