// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k[grid, block](…): C++23.
#include <vector>

#include "expect.h"

namespace {

TEST(Subscript, GridAndBlock) {
#if defined(__cpp_multidimensional_subscript)
  auto add = kr::kernel([](kr::view<const float> x, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] += x[i];
  });
  std::vector<float> x(300, 1.0f), y(300, 2.0f);
  add[30, 128](x, y);
  add[kr::dims{2}, kr::dims{16}](x, y);
  kr::stream s;
  add[3, 64, s](x, y);
  EXPECT_EQ(y, std::vector<float>(300, 5.0f));
#else
  GTEST_SKIP() << "the compiler has no multidimensional subscripts";
#endif
}

}  // namespace
