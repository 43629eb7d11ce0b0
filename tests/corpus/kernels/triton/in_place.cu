// References for in_place.py: one thread for each element, or for each row.

#ifdef ROTATED
extern "C" __global__ void rotated(float *q, const float *cosines, const float *sines) {
    int token = blockIdx.x, head = threadIdx.y, place = threadIdx.x;
    float *first = q + (token * HEADS + head) * 2 * HALF + place;
    float cosine = cosines[token * HALF + place], sine = sines[token * HALF + place];
    float left = first[0], right = first[HALF];
    first[0] = left * cosine - right * sine;
    first[HALF] = right * cosine + left * sine;
}
#endif

#ifdef ORDERED
// By insertion.
extern "C" __global__ void ordered(float *x) {
    float *row = x + threadIdx.x * N;
    float sorted[N];
#pragma unroll
    for (int at = 0; at < N; at++) {
        float next = row[at];
#pragma unroll
        for (int place = 0; place < at; place++) {
            float smaller = fminf(sorted[place], next);
            next = fmaxf(sorted[place], next);
            sorted[place] = smaller;
        }
        sorted[at] = next;
    }
#pragma unroll
    for (int at = 0; at < N; at++) row[at] = sorted[at];
}
#endif

#ifdef LARGEST
// Each value moves the smaller ones down.
extern "C" __global__ void largest(const float *x, float *y) {
    const float *row = x + threadIdx.x * N;
    float best[K];
#pragma unroll
    for (int at = 0; at < K; at++) best[at] = row[at];
#pragma unroll
    for (int one = 0; one < K; one++)
#pragma unroll
        for (int two = one + 1; two < K; two++) {
            float larger = fmaxf(best[one], best[two]);
            best[two] = fminf(best[one], best[two]);
            best[one] = larger;
        }
#pragma unroll
    for (int at = K; at < N; at++) {
        float next = row[at];
#pragma unroll
        for (int place = 0; place < K; place++) {
            float larger = fmaxf(best[place], next);
            next = fminf(best[place], next);
            best[place] = larger;
        }
    }
#pragma unroll
    for (int at = 0; at < K; at++) y[threadIdx.x * K + at] = best[at];
}
#endif
