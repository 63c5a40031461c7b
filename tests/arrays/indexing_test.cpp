// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of indices and masks: reading, assignment, equal indices, what is out of bounds.
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/search.h>
#include <krait/span.h>

#include <vector>

#include "api/expect.h"

using krait::test::expect_usage;

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int>;

template <class Elem, int Rank>
std::vector<Elem> host(const kr::array<Elem, Rank>& a) {
  return a.to_host();
}

TEST(Indexing, Take) {
  const auto x = kr::arange(24).reshape(2, 3, 4);
  const auto first = kr::take(x, kr::to_device(Ints{1, -2, 1}));
  EXPECT_EQ(first.extents(), (kr::shape<3>(3, 3, 4)));
  EXPECT_EQ(int(first(1, 0, 0)), 0);
  EXPECT_EQ(int(first(2, 2, 3)), 23);
  const auto last = kr::take(x(0), kr::to_device(Ints{3, -4, 1, 0}).reshape(2, 2), 1);
  EXPECT_EQ(last.extents(), (kr::shape<3>(3, 2, 2)));
  EXPECT_EQ(host(last), (Ints{3, 0, 1, 0, 7, 4, 5, 4, 11, 8, 9, 8}));
  EXPECT_EQ(host(kr::take(x(0, 0).flip(), kr::to_device(std::vector<std::uint64_t>{0, 3}))),
            (Ints{3, 0}));
  EXPECT_EQ(kr::take(x, kr::array<int>(0), 2).size(), 0);
  const kr::array<int, 2> rows = x(1)(kr::to_device(Ints{-1, 0}));
  EXPECT_EQ(host(rows), (Ints{20, 21, 22, 23, 12, 13, 14, 15}));
}

TEST(Indexing, Assign) {
  auto x = kr::zeros<float>(5);
  // the last of equal indices stays
  x(kr::to_device(Ints{0, -1, 0})) = kr::to_device(Floats{1, 2, 3});
  EXPECT_EQ(host(x), (Floats{3, 0, 0, 0, 2}));
  x(kr::to_device(Ints{1, 2})) = 7;
  EXPECT_EQ(host(x), (Floats{3, 7, 7, 0, 2}));
  auto table = kr::arange(12).reshape(4, 3);
  table(kr::to_device(Ints{2, 0, 2})) = kr::arange(100, 109).reshape(3, 3);
  EXPECT_EQ(host(table), (Ints{103, 104, 105, 3, 4, 5, 106, 107, 108, 9, 10, 11}));
  table(kr::to_device(Ints{-1})) = kr::arange(3) * 2;  // broadcast
  EXPECT_EQ(host(table(3)), (Ints{0, 2, 4}));
  auto turned = table.transpose();
  kr::put(turned, kr::to_device(Ints{0, 1, -1}), kr::to_device(Ints{-1, -2, -3}));
  EXPECT_EQ(host(table(kr::all, 0)), (Ints{-1, -2, 106, 0}));
  EXPECT_EQ(int(table(3, 2)), -3);
  auto many = kr::zeros<int>(10);
  const kr::array<int> ten = kr::arange(10000) % 10;
  many(ten) = kr::arange(10000);
  EXPECT_EQ(host(many), host(kr::arange(9990, 10000)));
}

TEST(Indexing, Masks) {
  auto x = kr::arange(-3, 9).reshape(3, 4);
  const kr::array<int> positive = x(x > 0);
  EXPECT_EQ(host(positive), (Ints{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(host(kr::compress(x.transpose() < 0, x.transpose())), (Ints{-3, -2, -1}));
  x(x < 0) = 0;
  EXPECT_EQ(host(x(0)), (Ints{0, 0, 0, 0}));
  x(x == 0) = kr::to_device(Ints{10, 20, 30, 40});
  EXPECT_EQ(host(x(0)), (Ints{10, 20, 30, 40}));
  const kr::array<bool, 2> none = x > 1000;
  const kr::array<int> nothing = x(none);
  EXPECT_EQ(nothing.size(), 0);
  x(none) = kr::array<int>(0);
  EXPECT_EQ(std::vector<std::int64_t>(kr::flatnonzero(x > 25).to_host()),
            (std::vector<std::int64_t>{2, 3}));
  const auto large = kr::arange(100000);
  const kr::array<int> thirds = large(large % 3 == 0);
  EXPECT_EQ(thirds.size(), 33334);
  EXPECT_EQ(int(thirds(33333)), 99999);
  EXPECT_EQ(int(thirds(12345)), 3 * 12345);
  EXPECT_EQ(kr::flatnonzero(kr::array<bool>(0)).size(), 0);
}

/// Truths are bools whatever operators they come from, so that they select as masks.
TEST(Indexing, MasksOfOperators) {
  const auto x = kr::arange(10);
  const auto m = kr::to_device({true, true, false, false});
  const auto n = kr::to_device({true, false, true, false});
  static_assert(std::is_same_v<decltype(kr::eval(m & n))::value_type, bool>);
  static_assert(std::is_same_v<decltype(kr::eval(~m | (n ^ m)))::value_type, bool>);
  static_assert(std::is_same_v<decltype(kr::eval(x && m(0)))::value_type, bool>);
  static_assert(std::is_same_v<decltype(kr::eval(x & 3))::value_type, int>);
  const kr::array<int> between = x(x > 2 && x < 5);
  EXPECT_EQ(host(between), (Ints{3, 4}));
  EXPECT_EQ(host(kr::eval(x((x < 2) | !(x < 8)))), (Ints{0, 1, 8, 9}));
  auto some = kr::arange(4);
  some(m && n) = 7;
  some(m ^ n) += 10;
  EXPECT_EQ(host(some), (Ints{7, 11, 12, 3}));
  auto mask = m.copy();
  mask &= n;
  mask |= ~m;
  EXPECT_EQ(host(mask), (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(host(kr::eval(kr::to_device(Floats{0.5f, 0}) && kr::to_device(Ints{2, 2}))),
            (std::vector<bool>{true, false}));
}

/// A selection tells its shape, and an index with a name may be read again.
TEST(Indexing, SelectionsHaveShapes) {
  auto a = kr::arange(12).reshape(3, 4);
  const auto columns = a(kr::all, kr::to_device(Ints{1, 3}));
  EXPECT_EQ(columns.extents(), kr::shape<2>(3, 2));
  EXPECT_EQ(columns.extent(1), 2);
  EXPECT_EQ(columns.size(), 6);
  EXPECT_EQ(int(columns(2, 1)), 11);
  EXPECT_EQ(columns.to_host().vector(), (Ints{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(a(kr::to_device(Ints{2, 0})).extents(), kr::shape<2>(2, 4));
  EXPECT_EQ(a(a > 6).size(), 5);
  EXPECT_EQ(a(kr::to_device({true, false, true})).extents(), kr::shape<2>(2, 4));
}

TEST(Indexing, Where) {
  const auto x = kr::to_device(Floats{-1, 2, -3});
  const kr::array<float> clipped = kr::where(x > 0.0f, x, 0.0f);
  EXPECT_EQ(host(clipped), (Floats{0, 2, 0}));
  const kr::array<double, 2> wide = kr::where(kr::to_device(Ints{1, 0}).reshape(2, 1), x, 0.5);
  EXPECT_EQ(host(wide), (std::vector<double>{-1, 2, -3, 0.5, 0.5, 0.5}));
  EXPECT_EQ(kr::sum(kr::where(x < 0.0f, 1, 0)), 2);
}

/// Values and indices are read before anything is written, whatever memory they lie in.
TEST(Indexing, OverlapIsReadFirst) {
  constexpr int n = 3000;
  const auto places = kr::arange(n).flip().copy();
  auto x = kr::arange(n);
  x(places) = x;  // reversed in place
  EXPECT_EQ(host(x), host(places));
  kr::put(x, x, x.flip());  // the indices are what is written, too: x[x[i]] = x[n - 1 - i]
  EXPECT_EQ(host(x), host(kr::arange(n).flip()));
  kr::put(x, places, x(0, kr::newaxis).broadcast_to(n));
  EXPECT_EQ(int(kr::min(x)), n - 1);
  auto square = kr::arange(10000).reshape(100, 100);
  square(kr::arange(100)) = square.transpose();
  EXPECT_EQ(int(square(3, 70)), 7003);
  auto even = kr::arange(n);
  even(even % 2 == 0) = even(kr::range(n / 2, kr::end));
  for (const int i : {0, 2, 1000, n - 2}) EXPECT_EQ(int(even(i)), (n + i) / 2) << i;
  auto bits = kr::full(n, true);
  bits(kr::range(0, n, 3)) = false;
  bits(bits) = bits(kr::range(0, 2000));  // the mask is what is written
  for (const int i : {0, 1, 2, 3, 4, 5, 2998})
    EXPECT_EQ(bool(bits(i)), i % 3 != 0 && (i - 1 - i / 3) % 3 != 0) << i;
  // The same memory under two names.
  auto one = kr::arange(n);
  auto other = kr::array<int>::wrap(one.address(), {n}, one.device());
  kr::scatter(one, places, other);
  EXPECT_EQ(host(one), host(places));
  kr::scatter(kr::arange(n), one, other);
  EXPECT_EQ(host(one), host(places));
}

TEST(Indexing, BadInput) {
  auto x = kr::arange(6).reshape(2, 3);
  const auto before = host(x);
  expect_usage({"index 2 is out of bounds for axis 0 with size 2"}, [&] {
    x(kr::to_device(Ints{0, 2})) = 5;
  });
  expect_usage({"index -4 is out of bounds for axis 1 with size 3"}, [&] {
    kr::take(x, kr::to_device(Ints{0, -4}), 1);
  });
  expect_usage({"index 6 is out of bounds for axis 0 with size 6"}, [&] {
    kr::put(x, kr::to_device(Ints{0, 6}), 1);
  });
  expect_usage({"index -1 is out of bounds"},
               [&] { kr::take(x, kr::to_device(std::vector<std::uint64_t>{~std::uint64_t(0)})); });
  expect_usage({"axis 2 is out of bounds"}, [&] { kr::take(x, kr::to_device(Ints{0}), 2); });
  const auto wrong = kr::ones<bool>({2, 2});
  expect_usage(
      {"boolean index did not match indexed array along dimension 1; dimension is 3 but corresponding boolean dimension is 2"},
      [&] { x(wrong) = 1; });
  expect_usage(
      {"boolean array indexing assignment cannot assign 2 input values to the 3 output values where the mask is true"},
      [&] { x(x > 2) = kr::arange(2); });
  expect_usage(
      {"shape mismatch: indexing arrays could not be broadcast together with shapes (2,) (3,)"},
      [&] {
        x(kr::to_device(Ints{0, 1}), kr::to_device(Ints{0, 1, 2})) = 1;
      });
  expect_usage(
      {"boolean index did not match indexed array along dimension 1; dimension is 3 but corresponding boolean dimension is 2"},
      [&] {
        x(kr::all, kr::to_device({true, false})) = 1;
      });
  expect_usage({"index 3 is out of bounds for axis 1 with size 3"},
               [&] { x(kr::to_device(Ints{0}), kr::to_device(Ints{3})) += 1; });
  EXPECT_EQ(host(x), before);
  // Rows of 4 that begin at each element.
  auto line = kr::arange(6);
  auto window = kr::array<int, 2>::wrap(line.address(), {3, 4},
                                        std::vector<std::int64_t>{1, 1}.data(), line.device());
  const char* const refused = "an assignment by indices: elements of the output share memory";
  expect_usage({refused}, [&] { window(kr::to_device(Ints{0})) = 1; });
  expect_usage({refused}, [&] { kr::put(window, kr::to_device(Ints{0}), 1); });
  auto one =
      kr::array<int>::wrap(line.address(), {3}, std::vector<std::int64_t>{0}.data(), line.device());
  expect_usage({"scatter: elements of the output share memory"},
               [&] { kr::scatter(kr::arange(3), kr::arange(3), one); });
}

/// The assignment that C++ makes for a class would leave the elements alone.
TEST(Indexing, SelectionsOfOneTypeAreAssigned) {
  auto x = kr::arange(6), y = kr::arange(10, 16);
  const auto ends = kr::to_device(Ints{0, -1}), swapped = kr::to_device(Ints{-1, 0});
  x(ends) = x(swapped);  // read before it is written
  EXPECT_EQ(host(x), (Ints{5, 1, 2, 3, 4, 0}));
  x(x > 3) = y(x > 3);
  EXPECT_EQ(host(x), (Ints{10, 1, 2, 3, 14, 0}));
  auto named = y(ends);
  x(swapped) = named;
  EXPECT_EQ(host(x), (Ints{15, 1, 2, 3, 14, 10}));
  x(ends) = std::move(named);
  EXPECT_EQ(host(x), (Ints{10, 1, 2, 3, 14, 15}));
  const auto constant = y(ends);
  x(kr::to_device(Ints{1, 2})) = constant;
  EXPECT_EQ(host(x), (Ints{10, 10, 15, 3, 14, 15}));
  auto table = kr::arange(6).reshape(2, 3).copy();
  table(kr::all, ends) = table(kr::all, swapped);
  EXPECT_EQ(host(table), (Ints{2, 1, 0, 5, 4, 3}));
  table(ends, swapped) = table(swapped, ends);
  EXPECT_EQ(host(table), (Ints{2, 1, 5, 0, 4, 3}));
}

}  // namespace
