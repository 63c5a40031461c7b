// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object that is older than the first use of a device, and works on it in its destructor: on a GPU the driver may have ended
// by then, which is an error like any other.
#include <krait/krait.h>

#include <cstdio>
#include <vector>

namespace kr = krait;

namespace {

auto twice = kr::vectorize([](auto x) { return x + x; });

struct Late {
  kr::array<int> kept;
  ~Late() {
    try {
      const std::vector<int> there = kept.to_host(), again = twice(kept).to_host(), other = twice(std::vector<int>{4});
      std::printf("%s\n", there[2] == 3 && again[2] == 6 && other[0] == 8 ? "works" : "wrong");
    } catch (const kr::error& e) {
      std::printf("%s\n", e.message());
    }
  }
} late;

}  // namespace

int main() {
  late.kept = kr::to_device(std::vector<int>{1, 2, 3});
  return twice(std::vector<int>{2})[0] == 4 ? 0 : 1;
}
