// Three layers passed by value: FORM 0 unrolled, 1 by a loop over a copy in local memory, 2 fields in another order.
// WRONG: one layer too few.
#if FORM == 2
struct Layer { int width; const float* weights; };
struct Network { const float* in; float* out; float scale; bool doubled; Layer layers[3]; };
#else
struct Layer { const float* weights; int width; };
struct Network { Layer layers[3]; float* out; const float* in; float scale; bool doubled; };
#endif

extern "C" __global__ void layers(Network network, int count)
{
    int i = threadIdx.x;
    float value = network.in[i] * network.scale;
    if (network.doubled) value += value;
#if FORM == 1
#pragma unroll 1
    for (int layer = 0; layer < count - WRONG; layer++)
#else
    for (int layer = 0; layer < 3 - WRONG; layer++)
#endif
        if (i < network.layers[layer].width) value *= network.layers[layer].weights[i];
    network.out[i] = value;
}
