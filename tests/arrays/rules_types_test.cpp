// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of two element types are taken in their common type, that of x + y in C++.
#include "arrays/rules.h"

#include <krait/algorithm/convolve.h>
#include <krait/algorithm/differences.h>
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/matrix_functions.h>
#include <krait/algorithm/products.h>
#include <krait/algorithm/sets.h>
#include <krait/algorithm/statistics.h>

namespace {

using krait::test::rules::described;

template <class Elem>
kr::array<Elem> numbers(const std::vector<int>& of) {
  std::vector<Elem> h;
  for (const int x : of) h.push_back(Elem(x));
  return kr::to_device(h);
}

/// f of both types is f of their common type.
template <class Left, class Right, class Function>
void in_common(const char* name, const std::vector<int>& x, const std::vector<int>& y,
               const Function& f) {
  using both = decltype(Left() + Right());
  const auto a = numbers<Left>(x);
  const auto b = numbers<Right>(y);
  const std::string wanted = described(f(numbers<both>(x), numbers<both>(y)));
  EXPECT_EQ(described(f(a, b)), wanted) << name;
  EXPECT_EQ(described(f(a + Left(0), b)), wanted) << name << " of an expression";
}
/// x is positive, y is sorted.
template <class Function>
void of_each_pair(const char* name, const Function& f) {
  const std::vector<int> x{3, 1, 4, 1, 5, 9}, y{1, 2, 3, 5, 5, 8};
  in_common<int, std::int64_t>(name, x, y, f);
  in_common<float, int>(name, x, y, f);
  in_common<std::uint8_t, double>(name, x, y, f);
  in_common<double, float>(name, x, y, f);
}
#define ROW(...) \
  of_each_pair(#__VA_ARGS__, [&](const auto& x, const auto& y) { return __VA_ARGS__; })

TEST(RulesTypes, Sets) {
  ROW(kr::isin(x, y));
  ROW(kr::union1d(x, y));
  ROW(kr::intersect1d(x, y));
  ROW(kr::setdiff1d(x, y));
  ROW(kr::setxor1d(x, y));
}
TEST(RulesTypes, Search) {
  ROW(kr::searchsorted(y, x));
  ROW(kr::digitize(x, y));
  ROW(kr::histogram(x, y));
  ROW(kr::lexsort(x, y));
  ROW(kr::sort_by_key(x, y));
}
TEST(RulesTypes, Rearranged) {
  ROW(kr::concatenate(x, y));
  ROW(kr::stack(x, y));
  ROW(kr::hstack(x, y));
  ROW(kr::vstack(x, y));
}
TEST(RulesTypes, Compared) {
  ROW(kr::isclose(x, y));
  ROW(kr::allclose(x, y));
  ROW(kr::array_equal(x, y));
  ROW(kr::where(x > y, x, y));
  ROW(kr::clip(x, y, y));
}
TEST(RulesTypes, Products) {
  ROW(kr::dot(x, y));
  ROW(kr::inner(x, y));
  ROW(kr::outer(x, y));
  ROW(kr::vdot(x, y));
  ROW(kr::kron(x, y));
  ROW(kr::matmul(x.reshape(2, 3), y.reshape(3, 2)));
  ROW(kr::tensordot<1>(x.reshape(2, 3), y.reshape(3, 2)));
  ROW(kr::einsum<"ij,jk">(x.reshape(2, 3), y.reshape(3, 2)));
  ROW(kr::cross(x.reshape(2, 3), y.reshape(2, 3)));
  ROW(kr::convolve(x, y));
  ROW(kr::correlate(x, y));
}
TEST(RulesTypes, Statistics) {
  ROW(kr::average(x, y));
  ROW(kr::cov(x, y));
  ROW(kr::corrcoef(x, y));
  ROW(kr::quantile(x, y * 0.125f));
  ROW(kr::percentile(x, y));
  ROW(kr::interp(x, y(kr::range(0, 4)), y(kr::range(0, 4))));
  ROW(kr::trapezoid(x, y));
  ROW(kr::gradient(x(kr::range(0, 4)), y(kr::range(0, 4))));
}
TEST(RulesTypes, LinearAlgebra) {
  const auto matrix = [](const auto& of) {
    return kr::eval(of(kr::range(0, 4)).reshape(2, 2) * 1);
  };
  ROW(kr::solve(matrix(x), y.reshape(2, 3)));
  ROW(std::tuple(kr::lstsq(matrix(x), y(kr::range(0, 2))).x.copy()));
  const auto z = kr::solve(kr::eye<float>(2), kr::array<std::complex<double>>(2));
  static_assert(std::is_same_v<decltype(z)::value_type, std::complex<double>>);
}
/// Indices and counts are integers of any type.
TEST(RulesTypes, Indices) {
  const auto x = kr::to_device({3.0f, 1.0f, 4.0f, 1.0f});
  const auto of_each = [&](const char* name, const auto& f) {
    const std::string wanted = described(f(numbers<std::int64_t>({0, 2, 2, 3})));
    EXPECT_EQ(described(f(numbers<int>({0, 2, 2, 3}))), wanted) << name;
    EXPECT_EQ(described(f(numbers<std::uint8_t>({0, 2, 2, 3}))), wanted) << name;
    EXPECT_EQ(described(f(numbers<int>({0, 2, 2, 3}) + 0)), wanted) << name;
    const auto known = numbers<std::int64_t>({0, 2, 2, 3});
    EXPECT_EQ(described(f(kr::array<const std::int64_t>(known(kr::all)))), wanted) << name;
  };
#undef ROW
#define ROW(...) of_each(#__VA_ARGS__, [&](const auto& i) { return __VA_ARGS__; })
  const auto plus = [](auto p, auto q) { return p + q; };
  ROW(kr::take(x, i));
  ROW(kr::gather(x, i));
  ROW(kr::repeat(x, i));
  ROW(kr::take_along_axis(x, i, 0));
  ROW(kr::bincount(i));
  ROW(kr::bincount(i, x));
  ROW(kr::segmented_scan(x, i, plus));
  ROW(kr::segmented_reduce(x, i, plus, 0.0f));
  ROW(kr::segmented_sort(x, i));
  const auto put = [&](const auto& i) {
    auto y = x.copy(), z = x.copy();
    kr::put(y, i, 7.0f);
    kr::put_along_axis(z, i, 7.0f, 0);
    return std::tuple(y.copy(), z.copy());
  };
  ROW(put(i));
  const auto scattered = [&](const auto& i) {
    auto y = x.copy();
    kr::scatter(kr::zeros<int>(3), kr::unique(i), y);
    return y;
  };
  ROW(scattered(i));
}
/// Narrow floats are classes: of a view of const ones, too.
TEST(RulesTypes, ConstNarrowFloats) {
  const kr::array<kr::bf16> x = kr::cast<kr::bf16>(numbers<float>({3, 1, 4, 1}));
  const auto view = x(kr::all);
  EXPECT_EQ(described(kr::sort(view)), "[ 4] 1.000000 1.000000 3.000000 4.000000");
  EXPECT_EQ(described(kr::unique(view)), "[ 3] 1.000000 3.000000 4.000000");
  EXPECT_EQ(described(kr::isin(view, view(kr::range(0, 1)))),
            "[ 4] 1.000000 0.000000 0.000000 0.000000");
  EXPECT_EQ(described(kr::searchsorted(kr::sort(view), view)),
            "[ 4] 2.000000 0.000000 3.000000 0.000000");
  EXPECT_EQ(described(kr::histogram(view, 2)), "[ 2] 2.000000 2.000000");
  EXPECT_EQ(described(kr::median(view)), " 2.000000");
  EXPECT_EQ(described(kr::top_k(view, 1)), "[ 1] 4.000000[ 1] 2.000000");
}
/// A selection becomes an array of another type, as an expression does.
TEST(RulesTypes, Selections) {
  const auto n = kr::arange(1, 10);
  const kr::array<std::int64_t> threes = n(n % 3 == 0);
  EXPECT_EQ(described(threes), "[ 3] 3.000000 6.000000 9.000000");
  const kr::array<double> some = n(kr::to_device({0, -1}));
  EXPECT_EQ(described(some), "[ 2] 1.000000 9.000000");
  const kr::array<float, 2> columns = n.reshape(3, 3)(kr::all, kr::to_device({2, 0}));
  EXPECT_EQ(described(columns(0)), "[ 2] 3.000000 1.000000");
}

}  // namespace
