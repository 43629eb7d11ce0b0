// GELU's gradient by tanh, and a step of Adam with its bias corrected, with their constants in several ways.
// FORM 0 to 3 are the gradient: constants folded step by step, by a compiler, beside the exact ones, and one
// digit off. FORM 4 to 6 are the step: the corrections folded, written down, and one digit off.
extern "C" __global__ void folded(const float *x, const float *m, const float *v, float *y)
{
    int i = threadIdx.x;
    float a = x[i];
#if FORM == 0
    float k = sqrtf(2.0f / 3.14159265358979f);
    float t = tanhf(k * (a + 0.044715f * a * a * a));
    y[i] = 0.5f * (1.0f + t) + 0.5f * a * (1.0f - t * t) * k * (1.0f + 3.0f * 0.044715f * a * a);
#elif FORM == 1
    float k = 0.7978845608f;
    float s = 1.0f / (1.0f + expf(-2.0f * k * (a + 0.044715f * a * a * a)));
    y[i] = s + a * s * (1.0f - s) * 2.0f * k * (1.0f + 0.134145f * a * a);
#elif FORM == 2
    float e = expf(a * (1.5957691216f + 0.0713548162726f * a * a));
    float s = e / (1.0f + e);
    y[i] = s + a * s * (1.0f - s) * (1.5957691216f + 0.2140644488f * a * a);
#elif FORM == 3
    float e = expf(a * (1.5957691216f + 0.0713558162726f * a * a));
    float s = e / (1.0f + e);
    y[i] = s + a * s * (1.0f - s) * (1.5957691216f + 0.2140644488f * a * a);
#elif FORM == 4
    float b1 = 0.9f, b2 = 0.999f;
    float mean = (b1 * m[i] + (1.0f - b1) * a) / (1.0f - b1 * b1 * b1);
    float square = (b2 * v[i] + (1.0f - b2) * a * a) / (1.0f - b2 * b2 * b2);
    y[i] = mean / (sqrtf(square) + 1e-8f);
#else
    float mean = (0.9f * m[i] + 0.1f * a) / 0.271f;
    float square = (0.999f * v[i] + 0.001f * a * a) / 0.002997001f;
    y[i] = mean / (sqrtf(square) + (FORM == 5 ? 1e-8f : 1e-7f));
#endif
}
