// Rows of 16 numbers by index: y[i] = w[index[i]] (an embedding), or y[index[i]] = w[i] (FORM 2).
// FORM 0: a block of 16 threads for each row; 1: four rows by 16 threads, four numbers at once.
extern "C" __global__ void rows(const float *w, const int *index, float *y)
{
#if FORM == 0
    y[blockIdx.x * 16 + threadIdx.x] = w[index[blockIdx.x] * 16 + threadIdx.x];
#elif FORM == 1
    int i = threadIdx.x / 4, part = threadIdx.x % 4;
    ((float4 *)y)[i * 4 + part] = ((const float4 *)w)[index[i] * 4 + part];
#else
    y[index[threadIdx.x]] = w[threadIdx.x];
#endif
}
