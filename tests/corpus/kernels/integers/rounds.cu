// Rounds of hashes and of generators of random numbers, each in two ways (FORM), and WRONG in one round of the second.

__device__ unsigned turned(unsigned x, int by)
{
#if FORM == 0
    return __funnelshift_l(x, x, by);
#else
    return (x << by) | (x >> (32 - by));
#endif
}

// Philox 4x32, ten rounds.
extern "C" __global__ void philox(const unsigned *counter, const unsigned *keys, unsigned *y)
{
    int i = threadIdx.x;
    unsigned c0 = counter[i], c1 = i, c2 = 7, c3 = 0, k0 = keys[0], k1 = keys[1];
    for (int round = 0; round < 10; round++) {
#if FORM == 0
        unsigned high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
        unsigned high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
#else
        unsigned long long first = (unsigned long long)0xD2511F53u * c0, second = (unsigned long long)0xCD9E8D57u * c2;
        unsigned high0 = first >> 32, low0 = first, high1 = second >> 32, low1 = second;
#endif
        c0 = high1 ^ c1 ^ (WRONG && round == 6 ? k1 : k0);
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    y[4 * i] = c0;
    y[4 * i + 1] = c1;
    y[4 * i + 2] = c2;
    y[4 * i + 3] = c3;
}

// SHA-1, the first twenty rounds of a block, a block a thread.
extern "C" __global__ void sha1(const unsigned *message, const unsigned *state, unsigned *y)
{
    const unsigned *own = message + 16 * threadIdx.x;
    unsigned a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], words[20];
    for (int round = 0; round < 20; round++) {
        words[round] = round < 16
            ? own[round]
            : turned(words[round - 3] ^ words[round - 8] ^ words[round - 14] ^ words[round - 16], 1);
#if FORM == 0
        unsigned choice = (b & c) | (~b & d);
#else
        unsigned choice = WRONG && round == 11 ? c ^ (b & (c ^ d)) : d ^ (b & (c ^ d));
#endif
        unsigned next = turned(a, 5) + choice + e + words[round] + 0x5A827999u;
        e = d;
        d = c;
        c = turned(b, 30);
        b = a;
        a = next;
    }
    unsigned *out = y + 5 * threadIdx.x;
    out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e;
}

// MurmurHash3 of four words with a seed.
extern "C" __global__ void murmur3(const unsigned *words, const unsigned *seed, unsigned *y)
{
    int i = threadIdx.x;
    unsigned h = seed[0];
    for (int at = 0; at < 4; at++) {
        unsigned k = words[4 * i + at] * 0xcc9e2d51u;
        k = turned(k, WRONG && at == 2 ? 14 : 15) * 0x1b873593u;
        h = turned(h ^ k, 13);
        h = FORM == 0 ? h * 5 + 0xe6546b64u : (h << 2) + h + 0xe6546b64u;
    }
    h ^= 16;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    y[i] = h ^ h >> 16;
}
