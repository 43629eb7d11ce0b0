// The six texels of a cube of N × N faces that lie in the middle of its faces' right upper quarters, from a cubemap or
// from an array of faces.

extern "C" __global__ void cube_texture(cudaTextureObject_t cube, float* out) {
    int face = threadIdx.x;
    float s = 0.5f, t = -0.5f;
    float x[6] = {1, -1, s, s, s, -s}, y[6] = {-t, -t, 1, -1, -t, -t}, z[6] = {-s, s, t, -t, 1, -1};
    out[face] = texCubemap<float>(cube, x[face], y[face], z[face]);
}

extern "C" __global__ void cube_by_hand(const float* faces, float* out) {
    int face = threadIdx.x;
    out[face] = faces[(face * N + N / 4) * N + 3 * N / 4];
}
