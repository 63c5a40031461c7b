// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of your own: the sum of two arrays, on the best device of this machine.
#include <cstdio>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  const auto add = kr::vectorize([](auto x, auto y) { return x + y; });
  const std::vector<float> a(1'000'000, 1.5f), b(1'000'000, 2.5f);
  std::vector<float> sum(a.size());
  add.into(sum)(a, b);
  std::printf("%g\n", double(sum.back()));
  return sum.back() == 4 ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
