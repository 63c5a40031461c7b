// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts and checksums: a thread a row.
#include <cstdint>

#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {

Work fnv() {
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char, 2> rows, kr::view<std::uint64_t> hashes) {
        auto i = kr::grid();
        kr::if_(i < hashes.size(), [&] {
          kr::var hash = std::uint64_t{14695981039346656037u};
          for (auto c : kr::range(rows.extent(1))) {
            hash ^= rows(i, c);
            hash *= std::uint64_t{1099511628211u};
          }
          hashes[i] = hash;
        });
      },
      {.name = "fnv"});
  const int n = 40000, length = 100;
  auto rows = upload<unsigned char, 2>(integers<unsigned char>(n * length, 256), n, length);
  auto hashes = make_array<std::uint64_t>(n);
  return {[=] { kernel.forall(n)(*rows, *hashes); }, CORPUS_PEER(peer_fnv, raw(rows), raw(hashes), n, length), output(hashes), 0};
}

Work crc() {
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char> data, kr::view<const unsigned> table, kr::view<unsigned> sums, kr::value<int> length) {
        for (auto i : kr::grid_stride(sums.size())) {
          kr::var crc = ~0u;
          for (auto k : kr::range(length)) crc = table[(crc ^ data[i * length + k]) & 255u] ^ (crc >> 8);
          sums[i] = ~crc;
        }
      },
      {.name = "crc"});
  std::vector<unsigned> entries(256);
  for (unsigned k = 0; k < 256; ++k) {
    entries[k] = k;
    for (int bit = 0; bit < 8; ++bit) entries[k] = entries[k] >> 1 ^ (entries[k] & 1 ? 0xedb88320u : 0u);
  }
  const int n = 20000, length = 128;
  auto data = upload(integers<unsigned char>(n * length, 256));
  auto table = upload(entries), sums = make_array<unsigned>(n);
  return {[=] {
            kernel.launch({40, 128}, *data, *table, *sums, length);
          },
          CORPUS_PEER(peer_crc, raw(data), raw(table), raw(sums), n, length), output(sums), 0};
}

const std::uint32_t sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

Work sha256() {
  static const auto kernel = kr::kernel(
      [](kr::view<const std::uint32_t, 2> messages, kr::view<std::uint32_t, 2> digests) {
        auto constants = kr::constant(sha_constants);
        auto i = kr::grid();
        kr::if_(i < messages.extent(0), [&] {
          auto w = kr::local<std::uint32_t, 64>();
          for (auto t : kr::range(16)) w[t] = kr::byte_swap(messages(i, t));
          for (auto t : kr::range(16, 64)) {
            auto early = w[t - 15], late = w[t - 2];
            auto s0 = kr::rotr(early, 7) ^ kr::rotr(early, 18) ^ (early >> 3),
                 s1 = kr::rotr(late, 17) ^ kr::rotr(late, 19) ^ (late >> 10);
            w[t] = w[t - 16] + s0 + w[t - 7] + s1;
          }
          constexpr std::uint32_t start[] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
          kr::var a = start[0], b = start[1], c = start[2], d = start[3], e = start[4], f = start[5], g = start[6], h = start[7];
          for (auto t : kr::range(64)) {
            auto s1 = kr::rotr(e, 6) ^ kr::rotr(e, 11) ^ kr::rotr(e, 25), choice = (e & f) ^ (~e & g);
            auto first = h + s1 + choice + constants[t] + w[t];
            auto s0 = kr::rotr(a, 2) ^ kr::rotr(a, 13) ^ kr::rotr(a, 22), majority = (a & b) ^ (a & c) ^ (b & c);
            auto second = s0 + majority;
            h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
          }
          const kr::value<std::uint32_t> state[] = {a, b, c, d, e, f, g, h};
          for (int k = 0; k < 8; ++k) digests(i, k) = start[k] + state[k];
        });
      },
      {.name = "sha256"});
  const int n = 60000;
  auto messages = upload<std::uint32_t, 2>(integers<std::uint32_t>(n * 16, 1L << 32), n, 16),
       digests = make_array<std::uint32_t, 2>(n, 8);
  auto constants = upload(std::vector<std::uint32_t>(sha_constants, sha_constants + 64));
  return {[=] { kernel.forall(n)(*messages, *digests); },
          CORPUS_PEER(peer_sha256, raw(messages), raw(constants), raw(digests), n), output(digests), 0};
}

Work xxhash() {
  static const auto kernel = kr::kernel(
      [](kr::view<const std::uint32_t, 2> rows, kr::view<std::uint32_t> hashes) {
        constexpr std::uint32_t p1 = 2654435761u, p2 = 2246822519u, p3 = 3266489917u;
        auto i = kr::grid();
        kr::if_(i < hashes.size(), [&] {
          kr::var<std::uint32_t> lanes[4];
          lanes[0] = p1 + p2, lanes[1] = p2, lanes[2] = 0u, lanes[3] = 0u - p1;
          for (auto stripe : kr::range(rows.extent(1) / 4))
            for (int k = 0; k < 4; ++k) lanes[k] = kr::rotl(lanes[k] + rows(i, 4 * stripe + k) * p2, 13) * p1;
          kr::var hash = kr::rotl(lanes[0], 1) + kr::rotl(lanes[1], 7) + kr::rotl(lanes[2], 12) + kr::rotl(lanes[3], 18);
          hash ^= hash >> 15;
          hash *= p2;
          hash ^= hash >> 13;
          hash *= p3;
          hash ^= hash >> 16;
          hashes[i] = hash;
        });
      },
      {.name = "xxhash"});
  const int n = 60000, words = 64;
  auto rows = upload<std::uint32_t, 2>(integers<std::uint32_t>(n * words, 1L << 32), n, words);
  auto hashes = make_array<std::uint32_t>(n);
  return {[=] { kernel.forall(n)(*rows, *hashes); }, CORPUS_PEER(peer_xxhash, raw(rows), raw(hashes), n, words), output(hashes),
          0};
}

}  // namespace

void add_hashes(Registry& all) {
  const char* theme = "hashes";
  all.insert(
      all.end(),
      {{69, "fnv", theme, fnv}, {70, "crc by table", theme, crc}, {71, "sha-256", theme, sha256}, {72, "xxhash", theme, xxhash}});
}

}  // namespace corpus
