// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of docs/ten-minutes.md: a loop becomes a function of elements, then come a kernel, an expression of arrays, and a GPU. Each region is a step of
// the page; the test docs.ten_minutes compares what is printed here with what the page shows.
#include <cmath>
#include <cstdio>
#include <vector>

// [include]
#include <krait/krait.h>
#include <krait/algorithm/reduce.h>
namespace kr = krait;
// [/include]

namespace {

void show(const char* step, const std::vector<float>& y) {
  std::printf("%-10s", step);
  for (const float v : y) std::printf(" %6.3f", double(v));
  std::printf("\n");
}

}  // namespace

int main() try {
  // [loop]
  std::vector<float> x{-3, -1, 0, 1, 3, 0, 0, 8};
  std::vector<float> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] / (1 + std::abs(x[i]));
  show("loop", y);
  // [/loop]

  // [vectorize]
  auto squash = kr::vectorize([](auto v) { return v / (1 + kr::abs(v)); });
  y = squash(x);                                  // compiled here, for float
  show("vectorize", y);
  std::printf("%-10s %6.3f\n", "a number", squash(1.0));  // compiled again, for double
  // [/vectorize]

  // [kernel]
  auto smooth = kr::kernel([](kr::view<const float> in, kr::view<float> out) {
    for (auto i : kr::grid_stride(out.size())) {  // the threads share the elements
      auto left = in[kr::max(i - 1, 0)], right = in[kr::min(i + 1, in.size() - 1)];
      kr::var sum = in[i];                        // `auto` is constant, kr::var is not
      kr::if_(left * right > 0, [&] { sum = (left + sum + right) / 3; });
      out[i] = sum;
    }
  });
  std::vector<float> z(y.size());
  smooth.forall(z.size())(y, z);                  // as many threads as elements
  show("kernel", z);
  // [/kernel]

  // [array]
  kr::array<float> a = kr::to_device(z), b(a.size());
  smooth.forall(a.size())(a, b);                  // the arrays stay on the device
  const float mean = kr::mean(b);
  kr::array<float> c = kr::sqrt(kr::abs(b - mean)) * 2.0f;  // one kernel
  b(kr::range(0, 2)) = c(kr::range(6, kr::end));  // writes the first two elements of b
  show("array", b.to_host());
  // [/array]

  // [device]
  std::printf("%-10s %s\n", "device", kr::device().id());
  // [/device]
  const std::vector<float> result = b.to_host();
  return std::abs(result[3] - 0.5f) < 1e-4f && std::abs(z[7] - y[7]) < 1e-4f ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
