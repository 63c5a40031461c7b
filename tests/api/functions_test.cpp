// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of math.h, math_more.h and bits.h, and cast, select, clamp and mix: on plain values they give the types and the
// bits of a strict kernel. Each lambda below gives a tuple of functions, is called with plain values, and recorded.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <vector>

#include "expect.h"

using krait::test::expect_usage;

namespace {

/// Numbers at which functions change their ways.
template <class Type>
std::vector<Type> edges() {
  if constexpr (std::is_same_v<Type, bool>) {
    return {};  // not used: std::vector<bool> has no bytes
  } else if constexpr (kr::detail::is_float_v<Type>) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<Type> all;
    for (const double x : {0.0,  -0.0,  0.25,  0.5, -0.5, 0.75, 1.0,   -1.0,  1.5,      2.0,       -2.5,        3.0,
                           7.25, -20.0, 100.0, 1e4, 1e-4, 6e-8, 1e-40, -3e30, infinity, -infinity, std::nan("")})
      all.push_back(Type(x));
    return all;
  } else {
    using limits = std::numeric_limits<Type>;
    std::vector<Type> all{
        0, 1, 2, 3, 7, 8, 31, 64, 100, 127, limits::max(), Type(limits::max() - 1), limits::min(), Type(limits::min() + 1)};
    if constexpr (std::is_signed_v<Type>) all.insert(all.end(), {-1, -2, -7, -64});
    return all;
  }
}

template <class Type>
bool same(Type x, Type y) {
  if constexpr (kr::detail::is_float_v<Type>)
    if (kr::isnan(x) && kr::isnan(y)) return true;
  return kr::detail::bits_of(x) == kr::detail::bits_of(y);
}
template <class Type>
auto shown(Type x) {
  if constexpr (kr::detail::is_narrow_v<Type>) return float(x);
  else return +x;
}

/// The lambda on all pairs of edges, plain and in a kernel. A tuple's i-th function is called i in messages.
template <class Left, class Right, class Lambda>
void expect_same_plain(const char* name, const Lambda& lambda) {
  std::vector<Left> x;
  std::vector<Right> y;
  for (const Left a : edges<Left>())
    for (const Right b : edges<Right>()) x.push_back(a), y.push_back(b);
  using plain = decltype(lambda(Left(), Right()));
  using traced = decltype(lambda(std::declval<kr::value<Left>>(), std::declval<kr::value<Right>>()));
  const auto got = kr::vectorize(lambda, {.name = name, .fp = kr::fp::strict})(x, y);
  [&]<std::size_t... At>(std::index_sequence<At...>) {
    static_assert(
        (std::is_same_v<std::tuple_element_t<At, plain>, typename std::tuple_element_t<At, traced>::traced_type> && ...));
    const auto compare = [&](std::size_t which, const auto& have, auto of) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto expected = of(lambda(x[i], y[i]));
        const auto there = static_cast<decltype(expected)>(have[i]);
        if (same(there, expected)) continue;
        ADD_FAILURE() << name << ", function " << which << " of " << shown(x[i]) << " and " << shown(y[i]) << ": " << shown(there)
                      << " in the kernel, " << shown(expected) << " of plain values";
        return;
      }
    };
    (compare(At, std::get<At>(got), [](const auto& all) { return std::get<At>(all); }), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<plain>>{});
}

template <class Type>
class PlainFloats : public testing::Test {};
using Floats = testing::Types<float, double, kr::f16, kr::bf16, kr::f8e4m3, kr::f8e5m2>;
TYPED_TEST_SUITE(PlainFloats, Floats);

TYPED_TEST(PlainFloats, Classes) {
  // The sign of a NaN is not part of a number: NVIDIA's instructions that widen 8 bits drop it.
  expect_same_plain<TypeParam, TypeParam>("classes", [](auto x, auto y) {
    return std::tuple(kr::isnan(x), kr::isinf(x), kr::isfinite(x), kr::isnormal(x),
                      kr::select(kr::isnan(x), kr::isinf(x), kr::signbit(x)), kr::abs(x),
                      kr::select(kr::isnan(y), x, kr::copysign(x, y)));
  });
}
TYPED_TEST(PlainFloats, Rounding) {
  expect_same_plain<TypeParam, TypeParam>("rounding", [](auto x, auto y) {
    return std::tuple(kr::sqrt(x), kr::floor(x), kr::ceil(x), kr::trunc(x), kr::rint(x), kr::round(x), kr::fma(x, y, x),
                      kr::mix(x, y, x));
  });
}
TYPED_TEST(PlainFloats, Choices) {
  expect_same_plain<TypeParam, TypeParam>("choices", [](auto x, auto y) {
    return std::tuple(kr::min(x, y), kr::max(x, y), kr::minimum(x, y), kr::maximum(x, y), kr::fdim(x, y), kr::clamp(x, y, y),
                      kr::select(x > y, x, y), kr::select(x, 1.0f, 2),
                      kr::select(
                          x > y, [&] { return x; }, 1.0f));
  });
}
TYPED_TEST(PlainFloats, Parts) {
  expect_same_plain<TypeParam, TypeParam>("parts", [](auto x, auto y) {
    const auto [s, c] = kr::sincos(x);
    const auto [fraction, whole] = kr::modf(x);
    const auto [significand, exponent] = kr::frexp(x);
    return std::tuple(s, c, fraction, whole, significand, exponent, kr::ilogb(x), kr::logb(x), kr::nextafter(x, y),
                      kr::ldexp(x, kr::cast<int>(y)), kr::powi(x, 3), kr::powi(x, -2));
  });
}
TYPED_TEST(PlainFloats, Exponentials) {
  expect_same_plain<TypeParam, TypeParam>("exponentials", [](auto x, auto y) {
    return std::tuple(kr::exp(x), kr::exp2(x), kr::exp10(x), kr::expm1(x), kr::log(x), kr::log2(x), kr::log10(x), kr::log1p(x),
                      kr::pow(x, y), kr::hypot(x, y));
  });
}
TYPED_TEST(PlainFloats, Angles) {
  expect_same_plain<TypeParam, TypeParam>("angles", [](auto x, auto y) {
    return std::tuple(kr::sin(x), kr::cos(x), kr::tan(x), kr::sinpi(x), kr::cospi(x), kr::tanpi(x), kr::asin(x), kr::acos(x),
                      kr::atan(x), kr::atan2(x, y), kr::degrees(x), kr::radians(x));
  });
}
TYPED_TEST(PlainFloats, Hyperbolic) {
  expect_same_plain<TypeParam, TypeParam>("hyperbolic", [](auto x, auto y) {
    return std::tuple(kr::sinh(x), kr::cosh(x), kr::tanh(x), kr::asinh(x), kr::acosh(x), kr::atanh(x), kr::fmod(x, y),
                      kr::remainder(x, y));
  });
}
TYPED_TEST(PlainFloats, Special) {
  expect_same_plain<TypeParam, TypeParam>("special", [](auto x, auto) {
    return std::tuple(kr::erf(x), kr::erfc(x), kr::erfinv(x), kr::tgamma(x), kr::lgamma(x), kr::rsqrt(x), kr::cbrt(x),
                      kr::rcbrt(x));
  });
}
TYPED_TEST(PlainFloats, Conversions) {
  expect_same_plain<TypeParam, TypeParam>("conversions", [](auto x, auto) {
    return std::tuple(kr::cast<bool>(x), kr::cast<std::int8_t>(x), kr::cast<std::uint8_t>(x), kr::cast<int>(x),
                      kr::cast<std::uint64_t>(x), kr::cast<kr::f16>(x), kr::cast<kr::bf16>(x), kr::cast<kr::f8e4m3>(x),
                      kr::cast<kr::f8e5m2>(x), kr::cast<float>(x), kr::cast<double>(x), kr::cast_sat<kr::f16>(x),
                      kr::cast_sat<kr::f8e4m3>(x), kr::cast_sat<kr::f8e5m2>(x), kr::cast_sat<float>(x));
  });
}

template <class Type>
class PlainIntegers : public testing::Test {};
using Integers =
    testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int, unsigned, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(PlainIntegers, Integers);

TYPED_TEST(PlainIntegers, Counts) {
  expect_same_plain<TypeParam, TypeParam>("counts", [](auto x, auto) {
    return std::tuple(kr::popcount(x), kr::clz(x), kr::ctz(x), kr::countl_zero(x), kr::countr_zero(x), kr::countl_one(x),
                      kr::countr_one(x), kr::ffs(x), kr::bit_width(x), kr::has_single_bit(x), kr::bit_floor(x), kr::bit_ceil(x));
  });
}
TYPED_TEST(PlainIntegers, Bits) {
  expect_same_plain<TypeParam, TypeParam>("bits", [](auto x, auto y) {
    return std::tuple(kr::bit_reverse(x), kr::byte_swap(x), kr::byte_permute(x, y, x), kr::rotl(x, y), kr::rotr(x, y),
                      kr::extract_bits(x, y, 5u), kr::insert_bits(x, y, 3u, y));
  });
}
TYPED_TEST(PlainIntegers, Arithmetic) {
  expect_same_plain<TypeParam, TypeParam>("arithmetic", [](auto x, auto y) {
    return std::tuple(kr::abs(x), kr::min(x, y), kr::max(x, y), kr::clamp(x, y, y), kr::mul_hi(x, y), kr::add_sat(x, y),
                      kr::sub_sat(x, y), kr::mad(x, y, x), kr::sad(x, y, x), kr::select(x > y, x, y), kr::select(x, 7, y));
  });
}
TYPED_TEST(PlainIntegers, AsDoubles) {
  expect_same_plain<TypeParam, TypeParam>("as_doubles", [](auto x, auto y) {
    return std::tuple(kr::sqrt(x), kr::floor(x), kr::round(x), kr::isnan(x), kr::signbit(x), kr::copysign(x, y), kr::hypot(x, y),
                      kr::fma(x, y, x), kr::minimum(x, y), kr::fdim(x, y), kr::cast<float>(x), kr::cast<kr::f16>(y),
                      kr::cast<bool>(x));
  });
}
TEST(PlainMixed, TwoTypes) {
  const auto lambda = [](auto x, auto y) {
    const auto above = kr::cast<double>(x) > kr::cast<double>(y);
    return std::tuple(kr::min(x, y), kr::max(x, y), kr::clamp(x, y, y), kr::select(above, x, y), kr::select(true, x, y),
                      kr::select(
                          x, [&] { return y; }, [&] { return x; }));
  };
  expect_same_plain<std::int8_t, unsigned>("mixed", lambda);
  expect_same_plain<std::uint16_t, std::int16_t>("mixed", lambda);
  expect_same_plain<float, int>("mixed", lambda);
  expect_same_plain<std::int64_t, float>("mixed", lambda);
  expect_same_plain<kr::f16, std::uint8_t>("mixed", lambda);
  const auto integers = [](auto x, auto y) {
    return std::tuple(kr::mul_hi(x, y), kr::add_sat(x, y), kr::sub_sat(x, y), kr::sad(x, y, x));
  };
  expect_same_plain<std::int8_t, std::uint8_t>("mixed_integers", integers);
  expect_same_plain<std::uint16_t, std::int64_t>("mixed_integers", integers);
}

TEST(PlainMixed, Select) {
  // What a generic lambda with a branch is on plain values, without a kernel around it.
  EXPECT_EQ(kr::select(2.5f > 1.0f, 1.0f, 2.5f), 1.0f);
  EXPECT_EQ(kr::select(
                false, [] { return 1; }, [] { return 2.5; }),
            2.5);
  EXPECT_EQ(kr::select(std::nan(""), 1, 2), 1);  // as a condition, NaN is not 0
  static_assert(std::is_same_v<decltype(kr::select(true, std::int8_t(1), std::int8_t(2))), std::int8_t>);
  static_assert(std::is_same_v<decltype(kr::select(true, 1, 2.0f)), float>);
  int calls = 0;
  EXPECT_EQ(kr::select(true, 1, [&] { return ++calls; }), 1);
  EXPECT_EQ(calls, 0);
  const kr::vec a{1.0f, 2.0f}, b{3.0f, 4.0f};
  EXPECT_EQ(kr::select(false, a, b).y, 4.0f);
  EXPECT_EQ(kr::select(kr::vec{true, false}, a, b).y, 4.0f);
}

TEST(NarrowIntegers, UpperHalvesOfProducts) {
  auto high = kr::vectorize([](auto x, auto y) { return kr::mul_hi(x, y); });
  const std::vector<std::uint8_t> x{200, 255, 16, 15};
  EXPECT_EQ(high(x, x), (std::vector<std::uint8_t>{156, 254, 1, 0}));
  const std::vector<std::int16_t> y{-32768, 32767, 256, -256};
  EXPECT_EQ(high(y, y), (std::vector<std::int16_t>{16384, 16383, 1, 1}));
  EXPECT_EQ(kr::mul_hi(std::uint8_t(200), std::uint8_t(200)), 156);
  static_assert(std::is_same_v<decltype(kr::mul_hi(std::uint8_t(), std::uint8_t())), std::uint8_t>);
}

/// All pairs of two bools, as bytes.
const std::vector<unsigned char> left{0, 0, 1, 1}, right{0, 1, 0, 1};

TEST(Bools, MinimumAndMaximum) {
  auto least = kr::vectorize([](auto x, auto y) { return kr::min(x != 0, y != 0); });
  EXPECT_EQ(least(left, right), (std::vector<unsigned char>{0, 0, 0, 1}));
  auto most = kr::vectorize([](auto x, auto y) { return kr::max(x != 0, y != 0); });
  EXPECT_EQ(most(left, right), (std::vector<unsigned char>{0, 1, 1, 1}));
  auto plain = kr::vectorize([](auto x, auto y) { return kr::max(kr::min(x != 0, true), kr::min(false, y != 0)); });
  EXPECT_EQ(plain(left, right), (std::vector<unsigned char>{0, 0, 1, 1}));
  EXPECT_EQ(kr::min(true, false), false);
  EXPECT_EQ(kr::max(true, false), true);
  static_assert(std::is_same_v<decltype(kr::min(true, false)), bool>);
}

TEST(Bools, OneOperandThatFolds) {
  auto least = kr::vectorize([](auto x) { return kr::min(x >= x, x > 0); });
  EXPECT_EQ(least(std::vector<int>{-1, 0, 1, 2}), (std::vector<unsigned char>{0, 0, 1, 1}));
  auto most = kr::vectorize([](auto x) { return kr::max(x<x, x> 0); });
  EXPECT_EQ(most(std::vector<int>{-1, 0, 1, 2}), (std::vector<unsigned char>{0, 0, 1, 1}));
}

TEST(Bools, Clamp) {
  auto whole = kr::vectorize([](auto x) { return kr::clamp(x != 0, false, true); });
  EXPECT_EQ(whole(left), left);
  auto none = kr::vectorize([](auto x, auto y) { return kr::clamp(x != 0, y != 0, y != 0); });
  EXPECT_EQ(none(left, right), right);
}

TEST(Bools, Vectors) {
  auto least = kr::vectorize([](auto x, auto y) {
    const auto low = kr::min(kr::make_vec(x != 0, x == 0), kr::make_vec(y != 0, y == 0));
    return kr::cast<int>(low.x) + 2 * kr::cast<int>(low.y);
  });
  EXPECT_EQ(least(left, right), (std::vector<int>{2, 0, 0, 1}));
}

enum class Switch : bool { off, on };

TEST(Bools, EnumerationsOfBools) {
  auto order = kr::vectorize([](auto x, auto y) {
    const auto a = kr::cast<Switch>(x != 0), b = kr::cast<Switch>(y != 0);
    return kr::select(a < b, 1, kr::select(a == b, 0, -1)) + 10 * kr::cast<int>(kr::max(a, b) == Switch::on);
  });
  EXPECT_EQ(order(left, right), (std::vector<int>{0, 11, 9, 10}));
}

TEST(Bools, ArithmeticIsOfInts) {
  auto sums = kr::vectorize([](auto x, auto y) {
    const auto a = x != 0, b = y != 0;
    return kr::abs(a) + 2 * kr::mad(a, b, b) + 8 * kr::sad(a, b, a) + 64 * kr::cast<int>(a < b);
  });
  EXPECT_EQ(sums(left, right), (std::vector<unsigned>{0, 74, 17, 13}));
}

TEST(Bools, WarpReductionsNameTheirOwnWords) {
  const auto k =
      kr::kernel([](kr::view<int> y) { y[kr::grid()] = kr::cast<int>(kr::warp::reduce(y[kr::grid()] > 0, kr::combine::max)); });
  std::vector<int> y(32);
  expect_usage({"warp reductions and scans need numbers: for bool use kr::warp::any, all or ballot", "kr::warp::any"}, [&] {
    k.launch({1, 32}, y);
  });
}

}  // namespace
