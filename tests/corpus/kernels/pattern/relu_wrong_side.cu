// relu_branch with the comparison the wrong way round: clears the positive elements.
extern "C" __global__ void relu_branch(float *x) {
    int i = threadIdx.x;
    if (x[i] > 0.0f) x[i] = 0.0f;  // wrong: >
}
