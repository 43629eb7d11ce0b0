// One of each: textures and surfaces of one to three dimensions, layered and cubes, of floats, integers and halves, in
// all that CUDA has words for and some that it has not; or loads and stores that do the same. N × N texels, L layers.

typedef unsigned long long u64;

extern "C" __global__ void kinds_texture(cudaTextureObject_t line, cudaTextureObject_t lines, cudaTextureObject_t plane,
                                         cudaTextureObject_t cubes, cudaTextureObject_t shorts, cudaTextureObject_t doubles,
                                         cudaTextureObject_t halves, float* out, double* twice) {
    int x = threadIdx.x, y = threadIdx.y, at = y * N + x, area = N * N;
    out[at] = tex1D<float>(line, (x * N + y + 0.5f) / area);
    out[area + at] = tex1DLayered<float>(lines, x + 0.5f, y % L);
    out[2 * area + at] = tex2DLod<float>(plane, x + 0.5f, y + 0.5f, 0.0f);
    out[3 * area + at] = tex2DGrad<float>(plane, x + 0.5f, y + 0.5f, make_float2(0, 0), make_float2(0, 0));
    bool resident;
    float texel = tex2D<float>(plane, x + 0.5f, y + 0.5f, &resident);
    out[4 * area + at] = resident ? texel : -1.0f;
    // The middle of the texel (y, x) of the third face (+y) of the second cube.
    float s = 2 * (x + 0.5f) / N - 1, t = 2 * (y + 0.5f) / N - 1;
    out[5 * area + at] = texCubemapLayered<float>(cubes, s, 1.0f, t, 1);
    short4 four = tex2D<short4>(shorts, x, y);
    out[6 * area + at] = four.x + 2 * four.y + 3 * four.z + 4 * four.w;
    // A double is two words.
    int2 words = tex1Dfetch<int2>(doubles, at);
    twice[at] = 2 * __hiloint2double(words.y, words.x);
    // Offsets, which CUDA leaves out, and halves.
    float moved;
    asm("tex.2d.v4.f32.f32 {%0, _, _, _}, [%1, {%2, %3}], {%4, %5};"
        : "=f"(moved) : "l"(plane), "f"(x + 0.5f), "f"(y + 0.5f), "r"(1), "r"(-1));
    out[7 * area + at] = moved;
    unsigned short half;
    asm("tex.2d.v4.f16.f32 {%0, _, _, _}, [%1, {%2, %3}];"
        : "=h"(half) : "l"(halves), "f"(x + 0.5f), "f"(y + 0.5f));
    unsigned pair;
    asm("{.reg .b32 other; tex.2d.v2.f16x2.f32 {%0, other}, [%1, {%2, %3}];}"
        : "=r"(pair) : "l"(halves), "f"(x + 0.5f), "f"(y + 0.5f));
    float first, second;
    asm("cvt.f32.f16 %0, %1;" : "=f"(first) : "h"(half));
    asm("{.reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l;}" : "=f"(second) : "r"(pair));
    out[8 * area + at] = first + second;
    int width, height;
    asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(plane));
    asm("txq.height.b32 %0, [%1];" : "=r"(height) : "l"(plane));
    int is = 0;
    asm("{.reg .pred p; istypep.texref p, %1; selp.b32 %0, 1, 0, p;}" : "=r"(is) : "l"(plane));
    out[9 * area + at] = width + 2 * height + 4 * is;
}

extern "C" __global__ void kinds_by_hand(const float* line, const float* lines, const float* plane, const float* cubes,
                                         const short4* shorts, const double* doubles, const unsigned short* halves,
                                         float* out, double* twice) {
    int x = threadIdx.x, y = threadIdx.y, at = y * N + x, area = N * N;
    out[at] = line[x * N + y];
    out[area + at] = lines[y % L * N + x];
    for (int i = 2; i < 5; i++) out[i * area + at] = plane[at];
    out[5 * area + at] = cubes[((6 + 2) * N + y) * N + x];
    short4 four = shorts[at];
    out[6 * area + at] = four.x + 2 * four.y + 3 * four.z + 4 * four.w;
    twice[at] = 2 * doubles[at];
    out[7 * area + at] = plane[max(y - 1, 0) * N + min(x + 1, N - 1)];
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(halves[at]));
    out[8 * area + at] = 2 * value;
    out[9 * area + at] = 3 * N + 4;
}

extern "C" __global__ void kinds_surface(cudaSurfaceObject_t line, cudaSurfaceObject_t lines, cudaSurfaceObject_t planes,
                                         cudaSurfaceObject_t volume, cudaSurfaceObject_t pairs, unsigned* out) {
    int x = threadIdx.x, y = threadIdx.y;
    unsigned char byte;
    surf1Dread(&byte, line, x, cudaBoundaryModeClamp);
    unsigned value;
    surf1DLayeredread(&value, lines, x * 4, y % L);
    unsigned sum = byte + value;
    surf2DLayeredread(&value, planes, x * 4 + 4, y, 1, cudaBoundaryModeZero);
    sum += value;
    surf3Dread(&value, volume, x * 4 - 4, y, L - 1, cudaBoundaryModeClamp);
    sum += value;
    int width;
    asm("suq.width.b32 %0, [%1];" : "=r"(width) : "l"(pairs));
    uint2 two = make_uint2(sum, width);
    surf2Dwrite(two, pairs, x * 8, y);
    // Samples instead of bytes, for which CUDA has no words.
    if (x == N - 1) asm volatile("sust.p.2d.v2.b32.clamp [%0, {%1, %2}], {%3, %4};" ::"l"(pairs), "r"(x + N), "r"(y), "r"(7), "r"(8) : "memory");
    out[y * N + x] = sum;
}

extern "C" __global__ void kinds_surface_by_hand(const unsigned char* line, const unsigned* lines, const unsigned* planes,
                                                 const unsigned* volume, uint2* pairs, unsigned* out) {
    int x = threadIdx.x, y = threadIdx.y;
    unsigned sum = line[x] + lines[y % L * N + x] + (x + 1 < N ? planes[(N + y) * N + x + 1] : 0)
        + volume[((L - 1) * N + y) * N + max(x - 1, 0)];
    pairs[y * N + x] = make_uint2(x == N - 1 ? 7 : sum, x == N - 1 ? 8 : N);
    out[y * N + x] = sum;
}

extern "C" __global__ void largest_surface(cudaSurfaceObject_t values, cudaSurfaceObject_t rows) {
    int x = threadIdx.x, y = threadIdx.y;
    int value;
    surf2Dread(&value, values, x * 4, y);
    asm volatile("sured.b.max.1d.s32.zero [%0, {%1}], %2;" ::"l"(rows), "r"(y * 4), "r"(value) : "memory");
}

extern "C" __global__ void largest_by_hand(const int* values, int* rows) {
    int y = threadIdx.x;
    int most = rows[y];
    for (int x = 0; x < N; x++) most = max(most, values[y * N + x]);
    rows[y] = most;
}
