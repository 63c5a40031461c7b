// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays as the host sees them: what to_host() gives, loops over rows, options of printing, and
// mdspans of layouts that know their strides.
#include <krait/algorithm/indexing.h>
#include <krait/span.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <sstream>
#include <vector>

#include "api/expect.h"
#include "arrays/mdspan_like.h"

using krait::test::expect_usage;

namespace {

using Floats = std::vector<float>;

kr::array<float, 2> table() { return kr::cast<float>(kr::arange(6).reshape(2, 3)); }
template <class Array>
Floats host(const Array& a) {
  return a.to_host();
}

TEST(Host, Container) {
  const kr::array<float, 2> a = table();
  auto h = a.to_host();
  using type = decltype(h);
  static_assert(std::is_same_v<type, kr::host_array<float, 2>>);
  static_assert(std::ranges::contiguous_range<type> && std::ranges::sized_range<type>);
  EXPECT_EQ(h.extents(), kr::shape<2>(2, 3));
  EXPECT_EQ(h.extent(1), 3);
  EXPECT_EQ(h.size(), 6u);
  EXPECT_FALSE(h.empty());
  EXPECT_EQ(h(1, 2), 5.0f);
  EXPECT_EQ(h(-1, -3), 3.0f);
  EXPECT_EQ(h[4], 4.0f);
  auto copy = h;
  EXPECT_TRUE(copy == h);
  copy(0, 0) = 9.0f;
  EXPECT_FALSE(copy == h);
  EXPECT_EQ(h(0, 0), 0.0f);
  h = copy;
  EXPECT_EQ(h(0, 0), 9.0f);
  // Of another shape, even with the same elements.
  EXPECT_FALSE(a.copy().reshape(3, 2).copy().to_host() == a.to_host());
  EXPECT_TRUE(a.to_host() == (Floats{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE((Floats{0, 1, 2, 3, 4, 5}) == a.to_host());
  std::ranges::sort(h, std::greater<>());
  EXPECT_EQ(h.vector(), (Floats{9, 5, 4, 3, 2, 1}));
  EXPECT_EQ(std::accumulate(h.begin(), h.end(), 0.0f), 24.0f);
  const std::span<const float> seen(h);
  EXPECT_EQ(seen.size(), 6u);
  const type moved = std::move(h);
  EXPECT_EQ(moved(0, 1), 5.0f);
  EXPECT_TRUE(kr::array<float>(0).to_host().empty());
  EXPECT_TRUE(kr::array<float>(0).to_host().vector().empty());
}

TEST(Host, ContainerToArray) {
  const auto h = table().to_host();
  const auto again = kr::to_device(h);
  static_assert(std::is_same_v<decltype(again), const kr::array<float, 2>>);
  EXPECT_EQ(again.extents(), kr::shape<2>(2, 3));
  EXPECT_TRUE(again.to_host() == h);
  kr::array<float, 2> other({3, 2});
  other.copy_from(h);
  EXPECT_EQ(host(other), h.vector());
  auto mine = h;
  kr::wrap(mine)(1) = 7.0f;  // shares the elements
  EXPECT_EQ(mine.vector(), (Floats{0, 1, 2, 7, 7, 7}));
  static_assert(std::is_same_v<decltype(kr::wrap(h)), kr::array<const float, 2>>);
}

TEST(Host, ContainerRefusesIndices) {
  const auto h = table().to_host();
  expect_usage({"index 2 is out of bounds for axis 0 with size 2"}, [&] { h(2, 0); });
  expect_usage({"index -4 is out of bounds for axis 1 with size 3"}, [&] { h(0, -4); });
}

TEST(Host, Rows) {
  kr::array<float, 2> a = table();
  for (auto row : a) row *= 2.0f;
  EXPECT_EQ(host(a), (Floats{0, 2, 4, 6, 8, 10}));
  const auto& constant = a;
  std::vector<Floats> rows;
  for (auto row : constant) {
    static_assert(std::is_same_v<decltype(row), kr::array_row<const float, 1>>);
    rows.push_back(host(row));
  }
  EXPECT_EQ(rows, (std::vector<Floats>{{0, 2, 4}, {6, 8, 10}}));
  Floats columns;
  for (auto column : a.transpose()) columns.push_back(column(1));
  EXPECT_EQ(columns, (Floats{6, 8, 10}));
  // of one dimension: numbers
  float sum = 0;
  for (const float x : a(1)) sum += x;
  EXPECT_EQ(sum, 24.0f);
  const auto line = a(1);
  EXPECT_EQ(Floats(line.begin(), line.end()), (Floats{6, 8, 10}));
  for ([[maybe_unused]] auto row : kr::array<float, 2>({0, 3})) ADD_FAILURE();
  static_assert(std::input_iterator<decltype(a.begin())>);
  EXPECT_EQ(a.end() - a.begin(), 2);
}

std::string text(const auto& x, const kr::print_options& how = {}) { return kr::to_string(x, how); }

TEST(Host, PrintOptions) {
  const auto x = kr::to_device({1.23456f, 0.00001f, 100.0f});
  EXPECT_EQ(text(x), "[1.23456e+00 1.00000e-05 1.00000e+02]");
  EXPECT_EQ(text(x, {.precision = 2, .suppress = true}), "[  1.23   0.   100.  ]");
  EXPECT_EQ(text(x, {.precision = 0, .suppress = true}), "[  1.   0. 100.]");
  const auto n = kr::arange(20);
  EXPECT_EQ(text(n, {.threshold = 10, .edge_items = 2}), "[ 0  1 ... 18 19]");
  EXPECT_EQ(text(n(kr::range(0, 6)), {.line_width = 10}), "[0 1 2 3\n 4 5]");
  EXPECT_EQ(text(n(kr::range(0, 6)) * 2, {.line_width = 1}), "[ 0\n  2\n  4\n  6\n  8\n 10]");
  // also of what is not yet an array
  EXPECT_EQ(text(n(kr::to_device({3, 1}))), "[3 1]");
  EXPECT_EQ(text(n(n > 16), {.threshold = 1, .edge_items = 1}), "[17 ... 19]");
  std::ostringstream out;
  out << n(n > 17) << kr::to_string(x, {.precision = 1, .suppress = true});
  EXPECT_EQ(out.str(), "[18 19][  1.2   0.  100. ]");
  expect_usage({"print_options: precision is 0 or more, not -1"},
               [&] { text(x, {.precision = -1}); });
  expect_usage({"print_options: threshold is 0 or more, not -2"},
               [&] { text(x, {.threshold = -2}); });
  expect_usage({"print_options: edge_items is 1 or more, not 0"},
               [&] { text(x, {.edge_items = 0}); });
  expect_usage({"print_options: line_width is 1 or more, not 0"},
               [&] { text(x, {.line_width = 0}); });
}

TEST(Host, MdspansThatKnowTheirStrides) {
  using krait::test::row_major;
  kr::array<float, 2> a({2, 3}, kr::device::cpu());
  a.copy_from(Floats{0, 1, 2, 3, 4, 5});
  const auto m = kr::to_mdspan<row_major<float, 2>>(a);
  EXPECT_EQ(m.at({1, 2}), 5.0f);
  m.at({1, 2}) = 8.0f;
  EXPECT_EQ(float(a(1, 2)), 8.0f);
  auto turned = a.transpose();
  expect_usage(
      {"to_mdspan: stride(0) is 1, but 2 in the mdspan's layout: use a.copy(), or a layout of strides"},
      [&] { kr::to_mdspan<row_major<float, 2>>(turned); });
  auto one = a(kr::range(0, 1));  // the stride of one row counts for nothing
  EXPECT_EQ((kr::to_mdspan<row_major<float, 2>>(one).at({0, 2})), 2.0f);
  auto h = a.to_host();
  EXPECT_EQ((kr::to_mdspan<krait::test::strided<float, 2>>(h).at({1, 1})), 4.0f);
  const auto& constant = h;
  EXPECT_EQ((kr::to_mdspan<row_major<const float, 2>>(constant).at({1, 1})), 4.0f);
  EXPECT_EQ(host(kr::to_device(m)), host(a));
}

}  // namespace
