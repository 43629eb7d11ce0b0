// Fragments on the move: a 16 x 16 matrix of halves is copied to shared memory, taken up with
// ldmatrix, and put back. KIND 1: x4 and stmatrix x4; 2: x4.trans and stored by hand (a transpose);
// 3: x1, movmatrix, stored by hand; 4: x2 twice and stmatrix x2.trans. Launch: one block of 32.
typedef unsigned short half_bits;
typedef unsigned int word;

extern "C" __global__ void moves(const half_bits *X, half_bits *Y) {
    __shared__ __align__(16) half_bits tile[16 * 16];
    __shared__ __align__(16) half_bits back[16 * 16];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) tile[i] = X[i];
    __syncwarp();
    word base = (word)__cvta_generic_to_shared(tile);
    [[maybe_unused]] word out = (word)__cvta_generic_to_shared(back);
    // Matrix m of the four lies at rows m % 2 * 8, columns m / 2 * 8; lane l gives row l % 8 of matrix l / 8.
    [[maybe_unused]] word at = ((lane % 8 + lane / 8 % 2 * 8) * 16 + lane / 16 * 8) * 2;
    [[maybe_unused]] word r0, r1, r2, r3;
#if KIND == 1
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(base + at) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0,%1,%2,%3};" : : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(out + at) : "memory");
#elif KIND == 2
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(base + at) : "memory");
    word r[4] = {r0, r1, r2, r3};
    for (int m = 0; m < 4; ++m) {
        // Matrix m, transposed, belongs at rows m / 2 * 8 and columns m % 2 * 8.
        int row = m / 2 * 8 + lane / 4, col = m % 2 * 8 + lane % 4 * 2;
        back[row * 16 + col] = (half_bits)r[m];
        back[row * 16 + col + 1] = (half_bits)(r[m] >> 16);
    }
#elif KIND == 3
    for (int m = 0; m < 4; ++m) {
        word from = ((lane % 8 + m % 2 * 8) * 16 + m / 2 * 8) * 2;
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(base + from) : "memory");
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r1) : "r"(r0));
        int row = m / 2 * 8 + lane / 4, col = m % 2 * 8 + lane % 4 * 2;
        back[row * 16 + col] = (half_bits)r1;
        back[row * 16 + col + 1] = (half_bits)(r1 >> 16);
    }
#elif KIND == 4
    for (int half = 0; half < 2; ++half) {
        word from = ((lane % 8 + lane / 8 % 2 * 8) * 16 + half * 8) * 2;
        word to = ((lane % 8 + half * 8) * 16 + lane / 8 % 2 * 8) * 2;
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(base + from) : "memory");
        asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%2], {%0,%1};" : : "r"(r0), "r"(r1), "r"(out + to) : "memory");
    }
#endif
    __syncwarp();
    for (int i = lane; i < 256; i += 32) Y[i] = back[i];
}
