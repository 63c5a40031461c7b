// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object that is older than the first use of a device, and works on it in its destructor: on a
// GPU the driver may have ended by then, which is an error like any other. So is a compilation that
// was asked for and had not begun when the process ended.
#include <krait/krait.h>

#include <cstdio>
#include <optional>
#include <vector>

namespace kr = krait;

namespace {

auto twice = kr::vectorize([](auto x) { return x + x; });

/// Kernels of some length, each another.
auto numbered(int n) {
  return kr::kernel([n](kr::view<float> x) {
    kr::var sum = x[kr::grid()];
    for (int k = 0; k < 40; ++k) sum = kr::sin(sum) + float(n + k);
    x[kr::grid()] = sum;
  });
}

struct Late {
  kr::array<int> kept;
  std::optional<kr::compilation> last;
  ~Late() {
    work();
    try {
      last->wait();
      std::printf("compiled\n");
    } catch (const kr::error& e) {
      std::printf("%s\n", e.message());
    }
  }
  void work() {
    try {
      const std::vector<int> there = kept.to_host(), again = twice(kept).to_host(),
                             other = twice(std::vector<int>{4});
      std::printf("%s\n", there[2] == 3 && again[2] == 6 && other[0] == 8 ? "works" : "wrong");
    } catch (const kr::error& e) {
      std::printf("%s\n", e.message());
    }
  }
} late;

}  // namespace

int main() {
  late.kept = kr::to_device(std::vector<int>{1, 2, 3});
  const bool right = twice(std::vector<int>{2})[0] == 4;
  // more than 16 threads begin before the end
  for (int n = 0; n < 100; ++n) late.last = numbered(n).compile_async();
  return right ? 0 : 1;
}
