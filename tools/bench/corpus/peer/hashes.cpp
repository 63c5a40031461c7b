// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../peers.h"

void peer_fnv(const unsigned char* rows, std::uint64_t* hashes, int n, int length) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::uint64_t hash = 14695981039346656037u;
    for (int c = 0; c < length; c++) hash = (hash ^ rows[i * length + c]) * 1099511628211u;
    hashes[i] = hash;
  }
}

void peer_crc(const unsigned char* data, const unsigned* table, unsigned* sums, int n, int length) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned crc = ~0u;
    for (int k = 0; k < length; k++) crc = table[(crc ^ data[i * length + k]) & 255] ^ (crc >> 8);
    sums[i] = ~crc;
  }
}

static inline std::uint32_t rotr(std::uint32_t x, int by) { return x >> by | x << (32 - by); }
static inline std::uint32_t rotl(std::uint32_t x, int by) { return x << by | x >> (32 - by); }

void peer_sha256(const std::uint32_t* messages, const std::uint32_t* constants,
                 std::uint32_t* digests, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::uint32_t w[64];
    for (int t = 0; t < 16; t++) w[t] = __builtin_bswap32(messages[16 * i + t]);
    for (int t = 16; t < 64; t++)
      w[t] = w[t - 16] + (rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 7] +
             (rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10);
    const std::uint32_t start[] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::uint32_t a = start[0], b = start[1], c = start[2], d = start[3], e = start[4],
                  f = start[5], g = start[6], h = start[7];
    for (int t = 0; t < 64; t++) {
      const std::uint32_t first =
          h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants[t] + w[t];
      const std::uint32_t second =
          (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    const std::uint32_t state[] = {a, b, c, d, e, f, g, h};
    for (int k = 0; k < 8; k++) digests[8 * i + k] = start[k] + state[k];
  }
}

void peer_xxhash(const std::uint32_t* rows, std::uint32_t* hashes, int n, int words) {
  constexpr std::uint32_t p1 = 2654435761u, p2 = 2246822519u, p3 = 3266489917u;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::uint32_t lanes[4] = {p1 + p2, p2, 0, 0u - p1};
    for (int stripe = 0; stripe < words / 4; stripe++)
      for (int k = 0; k < 4; k++)
        lanes[k] = rotl(lanes[k] + rows[i * words + 4 * stripe + k] * p2, 13) * p1;
    std::uint32_t hash =
        rotl(lanes[0], 1) + rotl(lanes[1], 7) + rotl(lanes[2], 12) + rotl(lanes[3], 18);
    hash ^= hash >> 15, hash *= p2, hash ^= hash >> 13, hash *= p3, hash ^= hash >> 16;
    hashes[i] = hash;
  }
}
