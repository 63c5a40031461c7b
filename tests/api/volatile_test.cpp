// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores that all happen.
#include <krait/volatile.h>

#include <string>
#include <vector>

#include "expect.h"

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Volatile, EveryAccessHappens) {
  auto kernel = kr::kernel([](kr::view<int> x, kr::view<int> y) {
    kr::volatile_view v(x);
    auto unused = v.load(0);
    (void)unused;
    y[0] = v.load(1) + v.load(1);
    v.store(7, 2), v.store(8, 2);
  });
  kr::array<int> x({3}), y({1});
  x.copy_from(std::vector<int>{1, 20, 3});
  kernel.launch({1, 1}, x, y);
  EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{1, 20, 8}));
  EXPECT_EQ(std::vector<int>(y.to_host()), std::vector<int>{40});
  const std::string ptx(kernel.ptx().data());
  EXPECT_EQ(count(ptx, "ld.relaxed.gpu"), 3u) << ptx;
  EXPECT_EQ(count(ptx, "atom.global.exch") + count(ptx, "atom.relaxed.gpu.global.exch"), 2u) << ptx;
}

TEST(Volatile, OfSeveralDimensionsAndTypes) {
  auto kernel = kr::kernel([](kr::view<double, 2> x, kr::view<unsigned> n) {
    kr::volatile_view v(x);
    auto [i, j] = kr::grid<2>();
    v.store(v.load(j, i) * 2, j, i);
    kr::volatile_view counts(n);
    counts.store(counts.load(j * 2 + i) + 1u, j * 2 + i);
  });
  kr::array<double, 2> x({3, 2});
  kr::array<unsigned> n({6});
  x.copy_from(std::vector<double>{1, 2, 3, 4, 5, 6}),
      n.copy_from(std::vector<unsigned>{0, 1, 2, 3, 4, 5});
  kernel.launch({{1, 1}, {2, 3}}, x, n);
  EXPECT_EQ(std::vector<double>(x.to_host()), (std::vector<double>{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(std::vector<unsigned>(n.to_host()), (std::vector<unsigned>{1, 2, 3, 4, 5, 6}));
}

}  // namespace
