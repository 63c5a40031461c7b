// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples of CuPy's page on kernels of one's own (docs.cupy.dev, "User-Defined Kernels"), with the results that it prints: ElementwiseKernel,
// ReductionKernel and fuse, each of which is an expression or a function here.
#include <cstdint>
#include <cstdio>
#include <string>

#include <krait/algorithm/reduce.h>
#include <krait/krait.h>
namespace kr = krait;

namespace {

int failures = 0;

/// Prints an array as NumPy does; it is compared with what CuPy's page has.
template <class Array>
void show(const char* what, const Array& a, const std::string& published) {
  const std::string text(kr::to_string(a));
  std::printf("%s\n%s\n", what, text.c_str());
  if (text != published) std::printf("expected\n%s\n", published.c_str()), ++failures;
}

}  // namespace

int main() try {
  // ElementwiseKernel('float32 x, float32 y', 'float32 z', 'z = (x - y) * (x - y)'), and the ones of types T, and X, Y, Z: one lambda.
  const auto squared_diff = kr::vectorize([](auto x, auto y) { return (x - y) * (x - y); }, {.name = "squared_diff"});
  const auto x = kr::arange(0.0f, 10.0f).reshape(2, 5);
  const auto y = kr::arange(0.0f, 5.0f);
  show("squared_diff(x, y)", squared_diff(x, y), "[[ 0.  0.  0.  0.  0.]\n [25. 25. 25. 25. 25.]]");
  show("squared_diff(x, 5)", squared_diff(x, 5.0f), "[[25. 16.  9.  4.  1.]\n [ 0.  1.  4.  9. 16.]]");
  auto z = kr::empty<float>({2, 5});
  squared_diff.into(z)(x, y);
  show("squared_diff(x, y, z)", z, "[[ 0.  0.  0.  0.  0.]\n [25. 25. 25. 25. 25.]]");

  // 'T x, raw T y', 'z = x + y[_ind.size() - i - 1]': the loop has the index.
  auto reversed = kr::empty<float>({5});
  kr::kernel([](kr::view<const float> from, kr::view<const float> raw, kr::view<float> to) {
    for (auto i : kr::grid_stride(to.size())) to[i] = from[i] + raw[to.size() - i - 1];
  }).forall(5)(y, y, reversed);
  show("add_reverse(x, y)", reversed, "[4. 4. 4. 4. 4.]");

  // ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0'): what is before and behind the sum is part of its kernel.
  const kr::array<float> l2norm = kr::sqrt(kr::sum(x * x, kr::axis(1)));
  show("l2norm_kernel(x, axis=1)", l2norm, "[ 5.477226  15.9687195]");

  // @cupy.fuse(): every expression is one kernel.
  const auto i = kr::arange<std::int64_t>(0, 10);
  const auto back = i.flip();
  const kr::array<std::int64_t> fused = (i - back) * (i - back);
  show("squared_diff(x, y)", fused, "[81 49 25  9  1  1  9 25 49 81]");
  const auto products = kr::sum(x * y, kr::axis(-1));
  show("sum_of_products(x, y)", products, "[30. 80.]");
  return failures;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
