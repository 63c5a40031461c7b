// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/tuning.md, run.
#include <krait/algorithm/reduce.h>
#include <krait/krait.h>
#include <krait/tune.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

namespace kr = krait;

// [kernel]
/// The mean of 2 * radius + 1 neighbours. A thread computes `each` elements at a distance of `stride`.
auto make_blur(int each, int stride) {
  return kr::kernel(
      [=](kr::view<const float> x, kr::view<float> y, kr::value<int> radius) {
        const auto first = kr::block_idx().x * (each * stride) + kr::thread_idx().x;
        for (int e = 0; e < each; ++e) {
          const auto i = first + e * stride;
          kr::if_(i < y.size(), [&] {
            kr::var<float> sum = 0.0f;
            for (auto k : kr::range(-radius, radius + 1)) sum += x[kr::clamp(i + k, 0, x.size() - 1)];
            y[i] = sum / kr::cast<float>(2 * radius + 1);
          });
        }
      },
      {.name = "blur"});
}
// [/kernel]

int main() {
  const std::int64_t n = 1 << 18;
  const kr::array<float> x = kr::arange<float>(n);
  kr::array<float> y(n);

  // [tune]
  const kr::space forms = kr::space{{"block", {64, 128, 256, 512}}, {"each", {1, 2, 4, 8}}}
                              .where([](const kr::candidate& c) { return c["block"] * c["each"] <= 1024; })
                              .by([](const kr::candidate& c) { return -std::abs(double(c["block"] * c["each"]) - 256); });
  const auto run = [&](const kr::candidate& c) {
    const int block = int(c["block"]), each = int(c["each"]);
    make_blur(each, block).launch({(n + block * each - 1) / (block * each), block}, x, y, 5);
  };
  const kr::tuned best = kr::tune("blur", forms, run, {.search = true}, y);
  std::printf("%s: %.4f ms\n", best.choice.str().c_str(), best.ms);
  run(best.choice);
  // [/tune]
  if (float(kr::max(kr::abs(y(kr::range(5, 100)) - x(kr::range(5, 100))))) > 1e-3f) return 1;

  // [ship]
  std::ofstream("choices.txt") << std::string(kr::export_tuning());
  // … in the shipped program:
  std::ifstream in("choices.txt");
  kr::import_tuning(std::string(std::istreambuf_iterator<char>(in), {}).c_str());
  // [/ship]
  return kr::tune("blur", forms, run, {}, y).from == kr::tuned::known ? 0 : 1;
}
