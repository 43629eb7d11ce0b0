// The gradient of an embedding: each row of `g` is added to the row of `table` that its index names.
extern "C" __global__ void embedding_gradient(const int *index, const float *g, float *table, int columns)
{
    for (int column = 0; column < columns; column++)
        atomicAdd(&table[index[threadIdx.x] * columns + column], g[threadIdx.x * columns + column]);
}
