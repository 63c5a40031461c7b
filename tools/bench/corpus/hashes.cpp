// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts and checksums: a thread a row.
#include <cstdint>

#include "../sha256.h"
#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {

Work fnv(Size size) {
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
  const int n = size(40000, 4000000), length = 100;
  auto rows = upload<unsigned char, 2>(integers<unsigned char>(n * length, 256), n, length);
  auto hashes = make_array<std::uint64_t>(n);
  return {[=] { kernel.forall(n)(*rows, *hashes); },
          CORPUS_PEER(peer_fnv, raw(rows), raw(hashes), n, length), output(hashes), 0};
}

Work crc(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char> data, kr::view<const unsigned> table,
         kr::view<unsigned> sums, kr::value<int> length) {
        for (auto i : kr::grid_stride(sums.size())) {
          kr::var crc = ~0u;
          for (auto k : kr::range(length))
            crc = table[(crc ^ data[i * length + k]) & 255u] ^ (crc >> 8);
          sums[i] = ~crc;
        }
      },
      {.name = "crc"});
  std::vector<unsigned> entries(256);
  for (unsigned k = 0; k < 256; ++k) {
    entries[k] = k;
    for (int bit = 0; bit < 8; ++bit)
      entries[k] = entries[k] >> 1 ^ (entries[k] & 1 ? 0xedb88320u : 0u);
  }
  const int n = size(20000, 2000000), length = 128;
  const auto shape = size(kr::launch_config{40, 128}, cover(n));
  auto data = upload(integers<unsigned char>(n * length, 256));
  auto table = upload(entries), sums = make_array<unsigned>(n);
  return {[=] { kernel.launch(shape, *data, *table, *sums, length); },
          CORPUS_PEER(peer_crc, raw(data), raw(table), raw(sums), n, length), output(sums), 0};
}

Work sha256(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const std::uint32_t, 2> messages, kr::view<std::uint32_t, 2> digests) {
        auto constants = kr::constant(sha256::rounds);
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
          kr::var a = sha256::start[0], b = sha256::start[1], c = sha256::start[2],
                  d = sha256::start[3], e = sha256::start[4], f = sha256::start[5],
                  g = sha256::start[6], h = sha256::start[7];
          for (auto t : kr::range(64)) {
            auto s1 = kr::rotr(e, 6) ^ kr::rotr(e, 11) ^ kr::rotr(e, 25),
                 choice = (e & f) ^ (~e & g);
            auto first = h + s1 + choice + constants[t] + w[t];
            auto s0 = kr::rotr(a, 2) ^ kr::rotr(a, 13) ^ kr::rotr(a, 22),
                 majority = (a & b) ^ (a & c) ^ (b & c);
            auto second = s0 + majority;
            h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
          }
          const kr::value<std::uint32_t> state[] = {a, b, c, d, e, f, g, h};
          for (int k = 0; k < 8; ++k) digests(i, k) = sha256::start[k] + state[k];
        });
      },
      {.name = "sha256"});
  const int n = size(60000, 3000000);
  auto messages = upload<std::uint32_t, 2>(integers<std::uint32_t>(n * 16, 1L << 32), n, 16),
       digests = make_array<std::uint32_t, 2>(n, 8);
  auto constants = upload(std::vector<std::uint32_t>(sha256::rounds, sha256::rounds + 64));
  return {[=] { kernel.forall(n)(*messages, *digests); },
          CORPUS_PEER(peer_sha256, raw(messages), raw(constants), raw(digests), n), output(digests),
          0};
}

Work xxhash(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const std::uint32_t, 2> rows, kr::view<std::uint32_t> hashes) {
        constexpr std::uint32_t p1 = 2654435761u, p2 = 2246822519u, p3 = 3266489917u;
        auto i = kr::grid();
        kr::if_(i < hashes.size(), [&] {
          kr::var<std::uint32_t> lanes[4];
          lanes[0] = p1 + p2, lanes[1] = p2, lanes[2] = 0u, lanes[3] = 0u - p1;
          for (auto stripe : kr::range(rows.extent(1) / 4))
            for (int k = 0; k < 4; ++k)
              lanes[k] = kr::rotl(lanes[k] + rows(i, 4 * stripe + k) * p2, 13) * p1;
          kr::var hash = kr::rotl(lanes[0], 1) + kr::rotl(lanes[1], 7) + kr::rotl(lanes[2], 12) +
                         kr::rotl(lanes[3], 18);
          hash ^= hash >> 15;
          hash *= p2;
          hash ^= hash >> 13;
          hash *= p3;
          hash ^= hash >> 16;
          hashes[i] = hash;
        });
      },
      {.name = "xxhash"});
  const int n = size(60000, 3000000), words = 64;
  auto rows = upload<std::uint32_t, 2>(integers<std::uint32_t>(n * words, 1L << 32), n, words);
  auto hashes = make_array<std::uint32_t>(n);
  return {[=] { kernel.forall(n)(*rows, *hashes); },
          CORPUS_PEER(peer_xxhash, raw(rows), raw(hashes), n, words), output(hashes), 0};
}

}  // namespace

void add_hashes(Registry& all) {
  const char* theme = "hashes";
  all.insert(all.end(), {{69, "fnv", theme, fnv},
                         {70, "crc by table", theme, crc},
                         {71, "sha-256", theme, sha256},
                         {72, "xxhash", theme, xxhash}});
}

}  // namespace corpus
