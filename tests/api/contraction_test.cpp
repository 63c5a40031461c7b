// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled for machines with fma and without -ffp-contract=off: Krait's own functions on plain
// values give the bits that they give in kernels in strict mode, also where the compiler inlines
// them into a loop that it vectorises.
#include <krait/complex.h>

#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include "expect.h"

namespace {

constexpr int count = 4096;

template <class Type>
std::vector<Type> numbers(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Type> out;
  for (int i = 0; i < count; ++i)
    out.push_back(Type(double(random() % 2000001) / 3000003 + 0.001 * double(i % 7)) *
                  Type(random() % 2 ? 3 : -1));
  return out;
}

template <class Type>
class Contraction : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __x86_64__
    if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this machine has no fused multiply-add";
#endif
  }
  template <class Lambda>
  void expect_strict(const char* name, const Lambda& lambda) {
    const std::vector<Type> x = numbers<Type>(1), y = numbers<Type>(2), t = numbers<Type>(3);
    const std::vector<Type> want =
        kr::vectorize(lambda, {.name = name, .fp = kr::fp::strict})(x, y, t);
    std::vector<Type> got(count);
    const Type *a = x.data(), *b = y.data(), *c = t.data();
    Type* out = got.data();
    for (int i = 0; i < count; ++i) out[i] = lambda(a[i], b[i], c[i]);
    int differ = 0;
    for (int i = 0; i < count; ++i)
      differ += std::memcmp(&got[std::size_t(i)], &want[std::size_t(i)], sizeof(Type)) != 0;
    EXPECT_EQ(differ, 0) << name;
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Contraction, Types);

TYPED_TEST(Contraction, OfNumbers) {
  this->expect_strict("mix", [](auto x, auto y, auto t) { return kr::mix(x, y, t); });
  this->expect_strict("degrees", [](auto x, auto y, auto) { return kr::degrees(x) + y; });
  this->expect_strict("radians", [](auto x, auto y, auto) { return kr::radians(x) - y; });
  this->expect_strict("powi", [](auto x, auto y, auto) { return kr::powi(x, 3) + y; });
  this->expect_strict("ldexp", [](auto x, auto y, auto) { return kr::ldexp(x, -3) + y; });
  this->expect_strict("normal", [](auto x, auto, auto) {
    return kr::cast<TypeParam>(
               kr::philox(5, kr::cast<int>(x * TypeParam(1000))).normal_float(1).second) +
           x;
  });
}

TYPED_TEST(Contraction, OfVectors) {
  const auto sum = [](const auto& v) { return v.x + v.y + v.z; };
  this->expect_strict("dot of 2", [](auto x, auto y, auto t) {
    return kr::dot(kr::make_vec(x, y), kr::make_vec(t, x));
  });
  this->expect_strict("dot of 3", [](auto x, auto y, auto t) {
    return kr::dot(kr::make_vec(x, y, t), kr::make_vec(y, t, x));
  });
  this->expect_strict("dot of 4", [](auto x, auto y, auto t) {
    return kr::dot(kr::make_vec(x, y, t, y), kr::make_vec(y, t, x, x));
  });
  this->expect_strict("cross", [=](auto x, auto y, auto t) {
    return sum(kr::cross(kr::make_vec(x, y, t), kr::make_vec(y, x, t)));
  });
  this->expect_strict("length",
                      [](auto x, auto y, auto t) { return kr::length(kr::make_vec(x, y, t)); });
  this->expect_strict("distance", [](auto x, auto y, auto t) {
    return kr::distance(kr::make_vec(x, y, t), kr::make_vec(y, x, x));
  });
  this->expect_strict("normalize", [=](auto x, auto y, auto t) {
    return sum(kr::normalize(kr::make_vec(x, y, t)));
  });
  this->expect_strict("mix", [=](auto x, auto y, auto t) {
    return sum(kr::mix(kr::make_vec(x, y, t), kr::make_vec(t, x, y), t));
  });
  this->expect_strict("operators", [=](auto x, auto y, auto t) {
    auto v = kr::make_vec(x, y, t) * kr::make_vec(y, y, x) + kr::make_vec(t, x, y);
    return sum(x * v - kr::make_vec(y, t, x));
  });
}

TYPED_TEST(Contraction, OfComplexNumbers) {
  const auto number = [](auto x, auto y) {
    if constexpr (kr::detail::traced<decltype(x)>) return kr::value<std::complex<TypeParam>>(x, y);
    else return std::complex<TypeParam>(x, y);
  };
  const auto sum = [](const auto& z) { return z.real() + z.imag(); };
  this->expect_strict("norm", [=](auto x, auto y, auto) { return kr::norm(number(x, y)); });
  this->expect_strict("abs", [=](auto x, auto y, auto) { return kr::abs(number(x, y)); });
  this->expect_strict("polar", [=](auto x, auto y, auto) { return sum(kr::polar(x, y)); });
  this->expect_strict("exp", [=](auto x, auto y, auto) { return sum(kr::exp(number(x, y))); });
  this->expect_strict("log", [=](auto x, auto y, auto) { return sum(kr::log(number(x, y))); });
  this->expect_strict("sqrt", [=](auto x, auto y, auto) { return sum(kr::sqrt(number(x, y))); });
  this->expect_strict(
      "pow", [=](auto x, auto y, auto t) { return sum(kr::pow(number(x, y), number(t, y))); });
}

}  // namespace
