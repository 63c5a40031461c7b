// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program hears whose kernels make LLVM fail one after the other (spent_generator.cpp): each
// for itself, until there were too many.
#include <cstdio>
#include <string>
#include <vector>

#include <krait/krait.h>

namespace kr = krait;

int main() {
  std::string last;
  for (int n = 0; n < 12; ++n) {
    auto k = kr::kernel([n](kr::view<int> y) { y[0] = n; }, {.name = "k"});
    std::vector<int> y(1);
    try {
      k.launch({1, 1}, y);
    } catch (const kr::error& e) {
      if (e.message() != last) std::printf("%d: %s\n", n, e.message());
      last = e.message();
    }
  }
}
