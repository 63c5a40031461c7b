// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each byte occurs in a text. Each block counts in shared memory, where atomics are cheap, and adds its counts to the
// result once.
#include <cstdio>
#include <string>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr int bins = 256, block = 256;

  auto histogram = kr::kernel([](kr::view<const unsigned char> text, kr::view<unsigned> counts) {
    auto mine = kr::shared<unsigned, bins>();
    auto t = kr::thread_idx().x;
    mine[t] = 0;
    kr::syncthreads();
    for (auto i : kr::grid_stride(text.size())) kr::atomic(mine[text[i]]).add(1);
    kr::syncthreads();
    kr::if_(mine[t] != 0, [&] { kr::atomic(counts[t]).add(mine[t]); });
  }, {.name = "histogram"});

  const std::string words = "the quick brown fox jumps over the lazy dog; pack my box with five dozen liquor jugs. ";
  std::vector<unsigned char> text(1'000'003);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<unsigned char>(words[(i + i / 1000) % words.size()]);
  std::vector<unsigned> counts(bins), expected(bins);
  histogram.launch({30, block}, text, counts);

  for (unsigned char c : text) ++expected[c];
  for (int c = 0; c < bins; ++c)
    if (counts[c] != expected[c]) return std::printf("byte %d: %u, the host says %u\n", c, counts[c], expected[c]), 1;
  for (int c = 'a'; c <= 'z'; ++c) {
    std::printf("%c %6u ", c, counts[c]);
    for (unsigned k = 0; k < counts[c] / 2500; ++k) std::putchar('#');
    std::putchar('\n');
  }
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
