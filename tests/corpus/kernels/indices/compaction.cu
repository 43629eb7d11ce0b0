// The positive ones of eight numbers, one after the other, by one thread: where each goes depends on how many came before.
extern "C" __global__ void compaction(const float *x, float *y)
{
    int n = 0;
    for (int i = 0; i < 8; i++)
        if (x[i] > 0)
            y[n++] = x[i];
}
