// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pi from random points of a square: a thread's random numbers are a function of its index and a counter, so that they need no
// state and are the same everywhere. The host draws the same points by the same calls.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

namespace {
constexpr int seed = 2026;
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
        auto random = kr::philox(seed, i, draw);
        for (auto& word : random.word) found += kr::select(inside(word), 1u, 0u);
      }
      hits[i] = found;
    }
  }, {.name = "monte_carlo_pi"});

  kr::array<unsigned> hits(threads);
  count.forall(threads)(hits);
  double total = 0;
  const std::vector<unsigned> found = hits.to_host();
  for (int i = 0; i < threads; ++i) {
    unsigned expected = 0;
    for (int draw = 0; draw < draws; ++draw)
      for (auto word : kr::philox(seed, i, draw).word) expected += inside(word);
    if (found[std::size_t(i)] != expected)
      return std::printf("thread %d found %u points, the host %u\n", i, found[std::size_t(i)], expected), 1;
    total += found[std::size_t(i)];
  }
  const double points = 4.0 * draws * threads, pi = 4 * total / points;
  std::printf("%.0f points: pi is about %.5f; every thread found as many as the host\n", points, pi);
  return std::abs(pi - std::numbers::pi) < 5 * 1.642 / std::sqrt(points) ? 0 : 1;  // five standard deviations
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
