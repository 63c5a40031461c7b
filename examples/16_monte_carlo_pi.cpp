// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pi from random points of a square: a thread's random numbers are a function of its index and a counter, so that they need no
// state and are the same everywhere. The generator is an ordinary generic function: the host runs it too.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

namespace {
/// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011), with key {0, 0}, on
/// plain and on traced words. `Word` is a type whose variables can be assigned to.
template <class Word>
void philox(Word& c0, Word& c1, Word& c2, Word& c3) {
  std::uint32_t k0 = 0, k1 = 0;  // plain: the rounds' keys become constants of the kernel
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    auto high0 = kr::mul_hi(c0, 0xD2511F53u), low0 = c0 * 0xD2511F53u;
    auto high1 = kr::mul_hi(c2, 0xCD9E8D57u), low1 = c2 * 0xCD9E8D57u;
    c0 = high1 ^ c1 ^ k0, c1 = low1;
    c2 = high0 ^ c3 ^ k1, c3 = low0;
  }
}
/// Whether a point of 2^15 by 2^15 lies in the quarter of a circle; integers make the answer the same everywhere.
constexpr auto inside = [](auto bits) {
  auto x = (bits & 0xffffu) >> 1, y = bits >> 17;
  return x * x + y * y < 1u << 30;
};
}  // namespace

int main() try {
  constexpr int threads = 20'000, draws = 25;  // of four points each

  auto count = kr::kernel([](kr::view<unsigned> hits) {
    for (auto i : kr::grid_stride(hits.size())) {
      kr::var found = 0u;
      for (auto draw : kr::range(draws)) {
        kr::var<std::uint32_t> c[4] = {kr::var<std::uint32_t>(i), kr::var<std::uint32_t>(draw), kr::var(0u), kr::var(0u)};
        philox(c[0], c[1], c[2], c[3]);
        for (auto& word : c) found += kr::select(inside(word), 1u, 0u);
      }
      hits[i] = found;
    }
  }, {.name = "monte_carlo_pi"});

  std::uint32_t known[4] = {};
  philox(known[0], known[1], known[2], known[3]);
  if (known[0] != 0x6627e8d5 || known[3] != 0x9b00dbd8) return std::printf("not the generator's published vector\n"), 1;

  kr::array<unsigned> hits(threads);
  count.forall(threads)(hits);
  double total = 0;
  const std::vector<unsigned> found = hits.to_host();
  for (std::uint32_t i = 0; i < threads; ++i) {
    unsigned expected = 0;
    for (std::uint32_t draw = 0; draw < draws; ++draw) {
      std::uint32_t c[4] = {i, draw, 0, 0};
      philox(c[0], c[1], c[2], c[3]);
      for (std::uint32_t word : c) expected += inside(word);
    }
    if (found[i] != expected) return std::printf("thread %u found %u points, the host %u\n", i, found[i], expected), 1;
    total += found[i];
  }
  const double points = 4.0 * draws * threads, pi = 4 * total / points;
  std::printf("%.0f points: pi is about %.5f; every thread found as many as the host\n", points, pi);
  return std::abs(pi - std::numbers::pi) < 5 * 1.642 / std::sqrt(points) ? 0 : 1;  // five standard deviations
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
