// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of arrays of any rank: of all elements in C order, or with the shape that NumPy gives.
#include "arrays/rules.h"

#include <krait/algorithm/differences.h>
#include <krait/algorithm/products.h>
#include <krait/algorithm/sets.h>
#include <krait/algorithm/statistics.h>

namespace {

using krait::test::rules::described;

const auto& numbers() {
  static const auto all =
      kr::to_device({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4});
  return all;
}
/// The same of one, two and three dimensions, also where elements do not lie in C order.
template <class Function>
void same_of_ranks(const char* name, const Function& f) {
  const auto& x = numbers();
  const std::string wanted = described(f(x));
  EXPECT_EQ(described(f(x.reshape(4, 6))), wanted) << name;
  EXPECT_EQ(described(f(x.reshape(2, 3, 4))), wanted) << name;
  const kr::array<int, 2> columns = x.reshape(4, 6).transpose().copy();
  EXPECT_EQ(described(f(columns.transpose())), wanted) << name << " of a turned view";
  EXPECT_EQ(described(f(x.reshape(4, 6) + 0)), wanted) << name << " of an expression";
}
/// The same elements, in the shape of the argument.
template <class Function>
void shape_of_argument(const char* name, const Function& f) {
  const auto& x = numbers();
  const std::string wanted = described(f(x), false);
  const auto expect_shape = [&](const auto& of) {
    const auto made = kr::eval(f(of));
    static_assert(decltype(made.share())::rank == std::remove_cvref_t<decltype(of)>::rank);
    EXPECT_EQ(described(made, false), wanted) << name;
    EXPECT_TRUE(made.extents() == of.extents()) << name;
  };
  expect_shape(x);
  expect_shape(x.reshape(4, 6));
  expect_shape(x.reshape(2, 3, 4));
  const kr::array<int, 2> columns = x.reshape(4, 6).transpose().copy();
  expect_shape(columns.transpose());
}
#define FLAT(...) same_of_ranks(#__VA_ARGS__, [&](const auto& x) { return __VA_ARGS__; })
#define SHAPED(...) shape_of_argument(#__VA_ARGS__, [&](const auto& x) { return __VA_ARGS__; })

TEST(RulesRanks, SetsAndSearch) {
  const auto some = kr::to_device({2, 3, 5, 7});
  const auto matrix = some.reshape(2, 2);
  FLAT(kr::unique(x));
  FLAT(kr::unique_counts(x));
  FLAT(std::tuple(kr::unique_inverse(x).values.copy()));
  SHAPED(kr::unique_inverse(x).inverse.copy());
  FLAT(std::tuple(kr::unique_all(x).values.copy(), kr::unique_all(x).indices.copy(),
                  kr::unique_all(x).counts.copy()));
  SHAPED(kr::unique_all(x).inverse.copy());
  FLAT(kr::union1d(x, matrix));
  FLAT(kr::intersect1d(x, matrix));
  FLAT(kr::setdiff1d(x, matrix));
  FLAT(kr::setxor1d(x, matrix));
  FLAT(kr::isin(matrix, x));
  SHAPED(kr::isin(x, matrix));
  SHAPED(kr::isin(x, {2, 3}));
  SHAPED(kr::searchsorted(some, x));
  SHAPED(kr::searchsorted(some, x, kr::side::right));
  SHAPED(kr::digitize(x, some));
  SHAPED(kr::digitize(x, some.flip(), true));
  FLAT(kr::histogram(x, 4));
  FLAT(kr::histogram(x, 4, 0, 8));
  FLAT(kr::histogram(x, some));
  FLAT(kr::histogram(x, {2, 4.5, 9}));
}
TEST(RulesRanks, Indices) {
  const auto ten = kr::arange(10.0f);
  SHAPED(kr::gather(ten, x));
  SHAPED(kr::take(ten, x));
  FLAT(kr::take(ten, x).reshape(-1));
  FLAT(kr::copy_if(x, [](auto v) { return v > 3; }));
  FLAT(kr::partition(x.reshape(-1), [](auto v) { return v > 3; }));
  FLAT(kr::compress(x > 3, x));
  FLAT(kr::flatnonzero(x > 3));
  const auto put = [](const auto& i) {
    auto y = kr::arange(10);
    kr::put(y, i, 0);
    return y;
  };
  FLAT(put(x));
}
TEST(RulesRanks, WholeArrays) {
  FLAT(kr::sum(x));
  FLAT(kr::prod(x % 2 + 1));
  FLAT(kr::min(x));
  FLAT(kr::max(x));
  FLAT(kr::argmin(x));
  FLAT(kr::argmax(x));
  FLAT(kr::any(x > 8));
  FLAT(kr::all(x > 0));
  FLAT(kr::count_nonzero(x > 3));
  FLAT(kr::norm(x));
  FLAT(kr::mean(x));
  FLAT(kr::variance(x));
  FLAT(kr::stddev(x));
  FLAT(kr::median(x));
  FLAT(kr::quantile(x, 0.3));
  FLAT(kr::percentile(x, {30, 60.5}));
  FLAT(kr::average(x));
  FLAT(kr::ptp(x));
  FLAT(kr::nansum(x));
  FLAT(kr::nanmean(x));
  FLAT(kr::nanmax(x));
  FLAT(kr::cumsum(x));
  FLAT(kr::cumprod(x % 2 + 1));
  FLAT(kr::cummax(x));
  FLAT(kr::cummin(x));
  FLAT(kr::inclusive_scan(x, [](auto p, auto q) { return p + q; }));
  FLAT(kr::exclusive_scan(x, 0, [](auto p, auto q) { return p + q; }));
  FLAT(kr::repeat(x, 2));
  FLAT(kr::outer(x, kr::to_device({1, 2})));
  FLAT(kr::vdot(x, x));
}
TEST(RulesRanks, ElementsKeepTheirPlaces) {
  const auto knots = kr::to_device({0.0, 5.0, 10.0});
  SHAPED(kr::interp(x, knots, knots));
  SHAPED(kr::roll(x, 5));
  SHAPED(kr::clip(x, 2, 5));
  SHAPED(kr::sign(x));
  SHAPED(kr::square(x));
  SHAPED(kr::abs2(x));
  SHAPED(kr::nan_to_num(x));
  SHAPED(kr::flip(kr::flip(x)));
}

}  // namespace
