// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An axis is kr::axis(k), or the integer k.
#include "arrays/rules.h"

#include <krait/algorithm/differences.h>
#include <krait/algorithm/frequency.h>
#include <krait/algorithm/methods.h>
#include <krait/algorithm/products.h>
#include <krait/algorithm/statistics.h>

namespace {

using krait::test::rules::described;

kr::array<float, 2> table() {
  const float numbers[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
  return kr::to_device(numbers).reshape(3, 4).copy();
}

/// f(axis) is the same of both, for each axis.
template <class Function>
void both_ways(const char* name, const Function& f) {
  for (const int k : {0, 1, -1, -2}) {
    const std::string named = described(f(kr::axis(k)));
    EXPECT_EQ(described(f(k)), named) << name << " " << k;
    EXPECT_EQ(described(f(std::int64_t(k))), named) << name << " " << k;
  }
}
#define ROW(...) both_ways(#__VA_ARGS__, [&](const auto& axis) { return __VA_ARGS__; })

TEST(RulesAxis, Reductions) {
  const auto a = table();
  const auto w = kr::full({3, 4}, 2.0f);
  ROW(kr::sum(a, axis));
  ROW(kr::sum(a * 2.0f, axis));
  ROW(kr::sum(a, axis, kr::keepdims));
  ROW(kr::prod(a, axis));
  ROW(kr::argmin(a, axis));
  ROW(kr::argmax(a, axis));
  ROW(kr::any(a, axis));
  ROW(kr::all(a, axis));
  ROW(kr::count_nonzero(a, axis));
  ROW(kr::mean(a, axis));
  ROW(kr::variance(a, axis));
  ROW(kr::stddev(a, axis, kr::ddof(1)));
  ROW(kr::nansum(a, axis));
  ROW(kr::nanprod(a, axis));
  ROW(kr::nanmean(a, axis));
  ROW(kr::nanvar(a, axis));
  ROW(kr::nanstd(a, axis));
  ROW(kr::nanmin(a, axis));
  ROW(kr::nanmax(a, axis));
  ROW(kr::ptp(a, axis));
  ROW(kr::median(a, axis));
  ROW(kr::quantile(a, 0.25, axis));
  ROW(kr::percentile(a, {10, 90}, axis));
  ROW(kr::average(a, axis));
  ROW(kr::average(a, w, axis));
}

TEST(RulesAxis, OrderAndScans) {
  const auto a = table();
  const auto plus = [](auto p, auto q) { return p + q; };
  ROW(kr::sort(a, axis));
  ROW(kr::sort(a, axis, kr::descending));
  ROW(kr::sort(
      a, [](auto p, auto q) { return p < q; }, axis));
  ROW(kr::argsort(a, axis));
  ROW(kr::sort_by_key(a, a, axis));
  ROW(kr::top_k(a, 2, axis));
  ROW(kr::partition(a, 1, axis));
  ROW(kr::argpartition(a, 1, axis));
  ROW(kr::cumsum(a, axis));
  ROW(kr::cumprod(a, axis));
  ROW(kr::cummax(a, axis));
  ROW(kr::cummin(a, axis));
  ROW(kr::inclusive_scan(a, plus, axis));
  ROW(kr::exclusive_scan(a, 0.0f, plus, axis));
  ROW(kr::diff(a, 1, axis));
  ROW(kr::gradient(a, 0.5f, axis));
  ROW(kr::trapezoid(a, 0.5, axis));
}

TEST(RulesAxis, Rearranged) {
  const auto a = table();
  const std::vector<kr::array<float, 2>> both = [] {
    std::vector<kr::array<float, 2>> made;
    made.push_back(table()), made.push_back(table());
    return made;
  }();
  const auto places = kr::to_device({1, 0});
  const auto zeros = kr::zeros<int>({1, 1});
  ROW(kr::concatenate(a, a, axis));
  ROW(kr::concatenate(a, a * 2.0f, axis));
  ROW(kr::concatenate(both, axis));
  ROW(kr::stack(a, a, axis));
  ROW(kr::stack(both, axis));
  ROW(kr::split<1>(a, axis)[0].copy());
  ROW(kr::split(a, {1}, axis)[1].copy());
  ROW(kr::repeat(a, 2, axis));
  ROW(kr::roll(a, 1, axis));
  ROW(kr::flip(a, axis));
  ROW(kr::take(a, places, axis));
  ROW(kr::take(a, {1, 0}, axis));
  ROW(kr::take_along_axis(a, zeros, axis));
  ROW(kr::fftshift(a, axis));
  ROW(kr::ifftshift(a, axis));
  const auto set = [&](const auto& axis) {
    auto b = a.copy();
    kr::put_along_axis(b, zeros, 7.0f, axis);
    return b;
  };
  ROW(set(axis));
}

TEST(RulesAxis, FunctionsOfElements) {
  const auto a = table();
  const auto add = kr::vectorize([](auto p, auto q) { return p + q; });
  ROW(add.reduce(a, axis));
  ROW(add.accumulate(a, axis));
}

/// Where a number has another meaning, the axis is named.
TEST(RulesAxis, NamedWhereANumberMeansSomethingElse) {
  const auto a = table();
  EXPECT_EQ(described(kr::max(a, 2.0f)), described(kr::where(a > 2.0f, a, 2.0f)));
  EXPECT_EQ(described(kr::max(a, 0)), described(kr::max(a, 0.0f)));
  EXPECT_EQ(described(kr::max(a, kr::axis(0))), "[ 4] 5.000000 9.000000 5.000000 8.000000");
  EXPECT_EQ(described(kr::min(a, kr::axis(1))), "[ 3] 1.000000 2.000000 3.000000");
  EXPECT_EQ(described(kr::norm(a, kr::axis(0), kr::keepdims)).substr(0, 5), "[ 1 4");
  EXPECT_EQ(kr::fft(a, kr::axis(0)).extent(0), 3);
  EXPECT_EQ(kr::ifft(a, kr::axis(0)).extent(0), 3);
  EXPECT_EQ(kr::rfft(a, kr::axis(0)).extent(0), 2);
  EXPECT_EQ(kr::irfft(kr::rfft(a, kr::axis(0)), kr::axis(0), kr::points(3)).extent(0), 3);
  EXPECT_EQ(kr::dct(a, kr::axis(0)).extent(0), 3);
  EXPECT_EQ(kr::idct(a, kr::axis(0)).extent(0), 3);
  EXPECT_EQ(kr::tensordot(a, a, kr::axis(0), kr::axis(0)).extent(0), 4);
}

}  // namespace
