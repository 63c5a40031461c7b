// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first programs of docs/coming-from-*.md, run (tests/unit/docs_snippets.cpp holds the page to it).
#include <krait/algorithm/reduce.h>
#include <krait/krait.h>

#include <cmath>
#include <vector>

namespace kr = krait;

int main() {
  const int n = 64;
  std::vector<float> x(n, 1.0f), y(n, 3.0f);
  // [cuda]
  auto saxpy = kr::kernel([](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
    auto i = kr::grid<1>();
    kr::if_(i < y.size(), [&] { y[i] = a * x[i] + y[i]; });
  });
  saxpy.launch({(n + 255) / 256, 256}, 2.0f, x, y);
  // [/cuda]
  bool right = y[63] == 5;
  // [numba]
  auto f = kr::vectorize([](auto a, auto b) { return a * b + 1; });
  std::vector<float> z = f(x, y);
  // [/numba]
  right = right && z[63] == 6;
  // [cupy]
  kr::array<float> d = kr::to_device(x);
  kr::array<float> e = kr::exp(d) * 2.0f + d;  // one launch
  const float total = kr::sum(e);
  // [/cupy]
  right = right && std::abs(total - 64 * 6.4365636f) < 0.01f;
  // [sycl]
  auto axpy = kr::kernel([](kr::value<float> a, kr::view<const float> from, kr::view<float> to) {
    for (auto i : kr::grid_stride(to.size())) to[i] = a * from[i] + to[i];
  });
  axpy.forall(n)(2.0f, x, y);
  // [/sycl]
  right = right && y[63] == 7;
  // [ispc]
  auto scale = kr::kernel([](kr::value<float> by, kr::view<float> v) {
    for (auto i : kr::grid_stride(v.size())) v[i] = v[i] * by;
  });
  scale.forall(n)(0.5f, x);
  // [/ispc]
  right = right && x[63] == 0.5f;
  kr::array<float, 2> in({64, 64}), out({64, 64});
  in.fill(3.0f), out.fill(0.0f);
  // [halide]
  auto blur = kr::kernel([](kr::view<const float, 2> from, kr::view<float, 2> to) {
    auto [c, r] = kr::grid<2>();
    kr::if_(r < to.extent(0) && c > 0 && c < to.extent(1) - 1,
            [&] { to(r, c) = (from(r, c - 1) + from(r, c) + from(r, c + 1)) / 3; });
  });
  blur.launch({{2, 8}, {32, 8}}, in, out);
  // [/halide]
  return right && out.to_host()[65] == 3 ? 0 : 1;
}
