// A discrete Fourier transform of 8 complex numbers by 8 threads: by definition with computed twiddles,
// with a table of them, or in three rounds. TABLE 2 has the sign of one entry wrong.
extern "C" __global__ void dft(const float* re, const float* im, float* yr, float* yi) {
    int k = threadIdx.x;
#if FORM == 2
    __shared__ float r[8], i[8];
    unsigned reversed = __brev(k) >> 29;
    r[reversed] = re[k];
    i[reversed] = im[k];
    __syncthreads();
    for (int length = 2; length <= 8; length *= 2) {
        int half = length / 2, place = k % length, j = place % half, base = k - place + j;
        float angle = -6.283185307179586f * (float)j / (float)length;
        float c = cosf(angle), s = sinf(angle);
        float xr = r[base + half] * c - i[base + half] * s, xi = r[base + half] * s + i[base + half] * c;
        float a = place < half ? r[base] + xr : r[base] - xr;
        float b = place < half ? i[base] + xi : i[base] - xi;
        __syncthreads();
        r[k] = a;
        i[k] = b;
        __syncthreads();
    }
    yr[k] = r[k];
    yi[k] = i[k];
#else
    float a = 0, b = 0;
    for (int n = 0; n < 8; n++) {
#if FORM == 0
        float angle = -6.283185307179586f * (float)(k * n) / 8.0f;
        float c = cosf(angle), s = sinf(angle);
#else
        float c = 0, s = 0;
        switch (k * n % 8) {
            case 0: c = 1.0f, s = 0.0f; break;
            case 1: c = 0.707106769f, s = -0.707106769f; break;
            case 2: c = 6.123234e-17f, s = -1.0f; break;
            case 3: c = -0.707106769f, s = -0.707106769f; break;
            case 4: c = -1.0f, s = -1.2246469e-16f; break;
#ifdef WRONG
            case 5: c = -0.707106769f, s = -0.707106769f; break;  // wrong: the sine is positive
#else
            case 5: c = -0.707106769f, s = 0.707106769f; break;
#endif
            case 6: c = -1.8369701e-16f, s = 1.0f; break;
            case 7: c = 0.707106769f, s = 0.707106769f; break;
        }
#endif
        a += re[n] * c - im[n] * s;
        b += re[n] * s + im[n] * c;
    }
    yr[k] = a;
    yi[k] = b;
#endif
}
