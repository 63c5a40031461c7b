// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds two ranges of a million integers, 0, 1, 2, … and 2, 3, 4, …, on the default device, and compares with the host.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr std::size_t n = 1'000'000;
  std::vector<std::int32_t> a(n), b(n);
  std::iota(a.begin(), a.end(), 0);
  std::iota(b.begin(), b.end(), 2);

  auto add = kr::vectorize([](auto x, auto y) { return x + y; }, {.name = "add"});
  const auto milliseconds = [&] {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<std::int32_t> c = add(a, b);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    for (std::size_t i = 0; i < n; ++i)
      if (c[i] != a[i] + b[i]) {
        std::printf("element %zu is %d, the host says %d\n", i, c[i], a[i] + b[i]);
        std::exit(1);
      }
    return ms;
  };
  const double first = milliseconds(), second = milliseconds();
  std::printf("device: %s (%s)\n", kr::device().name(), kr::device().id());
  std::printf("added %zu elements: first call %.2f ms with compilation, second %.2f ms\n", n, first, second);
  std::printf("equal to the host\n");
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
