// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::complex in kernels, against the host's library.
#include <krait/complex.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "expect.h"

namespace {

template <class Type>
std::vector<std::complex<Type>> points() {
  std::vector<std::complex<Type>> all;
  for (double re : {0.0, 1.0, -1.0, 0.8, -2.5, 1e-3, 300.0})
    for (double im : {0.0, 1.0, -0.6, 3.0, -1e-3, -40.0}) all.push_back({Type(re), Type(im)});
  return all;
}

/// The distance in units of the last place of the expected value's magnitude.
template <class Type>
Type error(std::complex<Type> got, std::complex<Type> expected) {
  const Type unit = std::abs(expected) * std::numeric_limits<Type>::epsilon();
  return std::abs(got - expected) / std::max(unit, std::numeric_limits<Type>::min());
}
template <class Type>
Type error(Type got, Type expected) {
  return std::abs(got - expected) /
         std::max(std::abs(expected) * std::numeric_limits<Type>::epsilon(),
                  std::numeric_limits<Type>::min());
}

/// The lambda on all pairs of points but those it is not defined for.
template <class Type, class Lambda, class Reference>
void expect_near(const char* what, Type bound, const Lambda& lambda, const Reference& reference) {
  const auto function = kr::vectorize(lambda);
  std::vector<std::complex<Type>> x, y;
  for (const auto& a : points<Type>())
    for (const auto& b : points<Type>()) x.push_back(a), y.push_back(b);
  const auto got = function(x, y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto expected = reference(x[i], y[i]);
    if (!std::isfinite(std::abs(expected))) continue;
    EXPECT_LE(error(got[i], expected), bound)
        << what << " of " << x[i] << " and " << y[i] << ": " << got[i] << ", not " << expected;
  }
}

template <class Type>
class Complex : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Complex, Types);

TYPED_TEST(Complex, Arithmetic) {
  using type = TypeParam;
  using complex = std::complex<type>;
  expect_near<type>(
      "+ -", 1, [](auto x, auto y) { return x + y - type(2); },
      [](complex x, complex y) { return x + y - type(2); });
  expect_near<type>(
      "*", 2, [](auto x, auto y) { return x * y; }, [](complex x, complex y) { return x * y; });
  expect_near<type>(
      "real *", 2, [](auto x, auto y) { return 3 * x.real() * y + x * 0.5f; },
      [](complex x, complex y) { return type(3) * x.real() * y + x * type(0.5); });
  const auto quotient = [](complex x, complex y) { return y == complex() ? complex(NAN) : x / y; };
  expect_near<type>(
      "/", 4, [](auto x, auto y) { return x / y; }, quotient);
  expect_near<type>(
      "conj -", 1, [](auto x, auto y) { return -kr::conj(x) - y; },
      [](complex x, complex y) { return -std::conj(x) - y; });
}

TYPED_TEST(Complex, Functions) {
  using type = TypeParam;
  using complex = std::complex<type>;
  const auto apply = [](const char* what, type bound, auto lambda, auto reference) {
    expect_near<type>(
        what, bound, [lambda](auto x, auto) { return lambda(x); },
        [reference](complex x, complex) { return reference(x); });
  };
  apply(
      "abs", 3, [](auto z) { return kr::abs(z); }, [](complex z) { return std::abs(z); });
  apply(
      "arg", 4, [](auto z) { return kr::arg(z); }, [](complex z) { return std::arg(z); });
  apply(
      "norm", 3, [](auto z) { return kr::norm(z); }, [](complex z) { return std::norm(z); });
  apply(
      "polar", 6, [](auto z) { return kr::polar(kr::abs(z.real()), z.imag()); },
      [](complex z) { return std::polar(std::abs(z.real()), z.imag()); });
  apply(
      "exp", 6, [](auto z) { return kr::exp(z); }, [](complex z) { return std::exp(z); });
  apply(
      "log", 6, [](auto z) { return kr::log(z); },
      [](complex z) { return z == complex() ? complex(NAN) : std::log(z); });
  apply(
      "sqrt", 6, [](auto z) { return kr::sqrt(z); }, [](complex z) { return std::sqrt(z); });
  apply(
      "pow", 64, [](auto z) { return kr::pow(z, 3); }, [](complex z) { return z * z * z; });
}

TYPED_TEST(Complex, QuotientsDoNotOverflowUnduly) {
  using type = TypeParam;
  using complex = std::complex<type>;
  const auto divide = kr::vectorize([](auto x, auto y) { return x / y; });
  const type huge = std::numeric_limits<type>::max() / 4;
  EXPECT_LE(error(complex(divide(complex(huge, huge), complex(huge, huge))), complex(1, 0)),
            type(2));
  EXPECT_LE(error(complex(divide(complex(1, 0), complex(0, huge))), complex(0, -1 / huge)),
            type(2));
  const type root = std::sqrt(huge);
  const auto size = kr::vectorize([](auto z) { return kr::abs(z); });
  EXPECT_LE(error(type(size(complex(3 * root * 1e3f, 4 * root * 1e3f))), 5 * root * type(1e3f)),
            type(3));
}

TYPED_TEST(Complex, KernelsAndArrays) {
  using type = TypeParam;
  using complex = std::complex<type>;
  static_assert(
      std::is_same_v<decltype(kr::vectorize([](auto z) { return z; })(std::vector<complex>())),
                     std::vector<complex>>);
  auto kernel = kr::kernel([](kr::view<complex> z, kr::value<complex> c, kr::view<int> equal) {
    for (auto i : kr::grid_stride(z.size())) {
      kr::var w = z[i];
      w *= w;
      w += c;
      auto [re, im] = w;
      equal[i] = kr::select(w == c, 1, 0);
      z[i] -= kr::value<complex>(im, re);
    }
  });
  std::vector<complex> z = points<type>(), expected = z;
  std::vector<int> equal(z.size());
  const complex c(0.25, -0.5);
  for (complex& one : expected) {
    const complex w(one.real() * one.real() - one.imag() * one.imag() + c.real(),
                    one.real() * one.imag() + one.imag() * one.real() + c.imag());
    one -= complex(w.imag(), w.real());
  }
  const std::vector<complex> before = z;
  kernel.forall(std::int64_t(z.size()))(z, c, equal);
  for (std::size_t i = 0; i < z.size(); ++i) {
    EXPECT_LE(std::abs(z[i] - expected[i]),
              std::abs(before[i]) * std::abs(before[i]) * 4 * std::numeric_limits<type>::epsilon());
    EXPECT_EQ(equal[i], before[i] == complex());
  }
}

}  // namespace
