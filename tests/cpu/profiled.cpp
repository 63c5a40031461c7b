// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What perf.sh looks into: a kernel that computes for a good part of a second, nearly all of it in
// one line.
#include <krait/krait.h>

#include <vector>

namespace kr = krait;

int main() {
  const auto busy = kr::kernel(
      [](kr::view<float> x) {
        auto i = kr::grid<1>();
        kr::var v = x[i];
        // clang-format off
        for ([[maybe_unused]] auto step : kr::range(1'000'000)) v = kr::sqrt(v / 3 + 1);  // the line
        // clang-format on
        x[i] = v;
      },
      {.name = "busy"});
  std::vector<float> x(64, 2.0f);
  for (int n = 0; n < 4; ++n) busy.launch({1, 64}, x);
  return x[0] > 1 ? 0 : 1;
}
