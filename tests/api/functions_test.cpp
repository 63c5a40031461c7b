// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of math.h, math_utilities.h and bits.h, and cast, select, clamp and mix: on plain
// values they give the types and the bits of a strict kernel. Each lambda below gives the results
// of functions, is called with plain values, and recorded.
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
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
    for (const double x :
         {0.0,  -0.0,  0.25,  0.5, -0.5, 0.75, 1.0,   -1.0,  1.5,      2.0,       -2.5,        3.0,
          7.25, -20.0, 100.0, 1e4, 1e-4, 6e-8, 1e-40, -3e30, infinity, -infinity, std::nan("")})
      all.push_back(Type(x));
    return all;
  } else {
    using limits = std::numeric_limits<Type>;
    std::vector<Type> all{0,
                          1,
                          2,
                          3,
                          7,
                          8,
                          31,
                          64,
                          100,
                          127,
                          limits::max(),
                          Type(limits::max() - 1),
                          limits::min(),
                          Type(limits::min() + 1)};
    if constexpr (std::is_signed_v<Type>) all.insert(all.end(), {-1, -2, -7, -64});
    return all;
  }
}

/// Which type a result has; each type has a place of its own.
using TypeId = const void*;
template <class Type>
TypeId id_of() {
  static const char id = 0;
  return &id;
}

/// Takes the results of functions of plain values, as bits: all ones for NaN. That neither class is
/// a tuple keeps this file quick to compile.
struct PlainResults {
  std::vector<std::uint64_t> bits;
  std::vector<TypeId> types;
  template <class... Type>
  void operator()(Type... results) {
    (add(results), ...);
  }
  template <class Type>
  void add(Type x) {
    types.push_back(id_of<Type>());
    bool nan = false;
    if constexpr (kr::detail::is_float_v<Type>) nan = kr::isnan(x);
    bits.push_back(nan ? ~std::uint64_t{0}
                       : kr::detail::bits_of(x) & (~std::uint64_t{0} >> (64 - 8 * sizeof(Type))));
  }
};

/// Stores those of traced values, each in a row of its own.
struct TracedResults {
  kr::view<std::uint64_t, 2> rows;
  kr::value<std::int64_t> at;
  std::vector<TypeId>& types;
  template <class... Traced>
  void operator()(const Traced&... results) {
    (add<typename Traced::traced_type>(results), ...);
  }
  template <class Type>
  void add(const kr::value<Type>& x) {
    const int row = int(types.size());
    types.push_back(id_of<Type>());
    if constexpr (std::is_same_v<Type, bool>) {
      rows(row, at) = kr::cast<std::uint64_t>(x);
    } else {
      using sizes = std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
      using word = std::tuple_element_t<std::size_t(std::bit_width(sizeof(Type)) - 1), sizes>;
      const kr::value<std::uint64_t> bits = kr::cast<std::uint64_t>(kr::bitcast<word>(x));
      if constexpr (kr::detail::is_float_v<Type>)
        rows(row, at) = kr::select(kr::isnan(x), ~std::uint64_t{0}, bits);
      else rows(row, at) = bits;
    }
  }
};

/// The bits and types of plain values in `expected` (functions of one pair after those of another)
/// and of a kernel's rows.
void expect_same(const char* name, const std::vector<PlainResults>& expected,
                 const kr::host_array<std::uint64_t, 2>& rows, const std::vector<TypeId>& types,
                 const std::function<std::string(std::size_t)>& arguments) {
  EXPECT_TRUE(types == expected[0].types)
      << name << ": the types of traced results are not those of plain ones";
  for (std::size_t f = 0; f < types.size(); ++f)
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::uint64_t have = rows[f * expected.size() + i], plain = expected[i].bits[f];
      if (have == plain) continue;
      ADD_FAILURE() << name << ", function " << f << " of " << arguments(i) << ": bits " << std::hex
                    << have << " in the kernel, " << plain << " of plain values";
      break;
    }
}

/// The lambda on all pairs of edges, plain and in a kernel: it gives its last argument the results
/// of functions of the other two. The i-th is called i in messages.
template <class Left, class Right, class Lambda>
void expect_same_plain(const char* name, const Lambda& lambda) {
  std::vector<Left> x;
  std::vector<Right> y;
  for (const Left a : edges<Left>())
    for (const Right b : edges<Right>()) x.push_back(a), y.push_back(b);
  std::vector<PlainResults> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) lambda(x[i], y[i], expected[i]);
  std::vector<TypeId> types;
  const auto kernel = kr::kernel(
      [&](kr::view<const Left> a, kr::view<const Right> b, kr::view<std::uint64_t, 2> rows) {
        types.clear();
        for (auto i : kr::grid_stride(a.size())) {
          TracedResults give{rows, i, types};
          lambda(a[i], b[i], give);
        }
      },
      {.name = name, .fp = kr::fp::strict});
  const auto functions = std::int64_t(expected[0].bits.size());
  kr::array<std::uint64_t, 2> rows(kr::shape<2>(functions, std::int64_t(x.size())));
  kernel.forall(std::int64_t(x.size()))(x, y, rows);
  expect_same(name, expected, rows.to_host(), types, [&](std::size_t i) {
    return std::to_string(kr::cast<double>(x[i])) + " and " +
           std::to_string(kr::cast<double>(y[i]));
  });
}

template <class Type>
class PlainFloats : public testing::Test {};
using Floats = testing::Types<float, double, kr::f16, kr::bf16, kr::f8e4m3, kr::f8e5m2>;
TYPED_TEST_SUITE(PlainFloats, Floats);

TYPED_TEST(PlainFloats, Classes) {
  // The sign of a NaN is not part of a number: NVIDIA's instructions that widen 8 bits drop it.
  expect_same_plain<TypeParam, TypeParam>("classes", [](auto x, auto y, auto& give) {
    give(kr::isnan(x), kr::isinf(x), kr::isfinite(x), kr::isnormal(x),
         kr::select(kr::isnan(x), kr::isinf(x), kr::signbit(x)), kr::abs(x),
         kr::select(kr::isnan(y), x, kr::copysign(x, y)));
  });
}
TYPED_TEST(PlainFloats, Rounding) {
  expect_same_plain<TypeParam, TypeParam>("rounding", [](auto x, auto y, auto& give) {
    give(kr::sqrt(x), kr::floor(x), kr::ceil(x), kr::trunc(x), kr::rint(x), kr::round(x),
         kr::fma(x, y, x), kr::mix(x, y, x));
  });
}
TYPED_TEST(PlainFloats, Choices) {
  expect_same_plain<TypeParam, TypeParam>("choices", [](auto x, auto y, auto& give) {
    give(kr::min(x, y), kr::max(x, y), kr::minimum(x, y), kr::maximum(x, y), kr::fdim(x, y),
         kr::clamp(x, y, y), kr::select(x > y, x, y), kr::select(x, 1.0f, 2),
         kr::select(
             x > y, [&] { return x; }, 1.0f));
  });
}
TYPED_TEST(PlainFloats, Parts) {
  expect_same_plain<TypeParam, TypeParam>("parts", [](auto x, auto y, auto& give) {
    const auto [s, c] = kr::sincos(x);
    const auto [fraction, whole] = kr::modf(x);
    const auto [significand, exponent] = kr::frexp(x);
    give(s, c, fraction, whole, significand, exponent, kr::ilogb(x), kr::logb(x),
         kr::nextafter(x, y), kr::ldexp(x, kr::cast<int>(y)), kr::powi(x, 3), kr::powi(x, -2));
  });
}
TYPED_TEST(PlainFloats, Exponentials) {
  expect_same_plain<TypeParam, TypeParam>("exponentials", [](auto x, auto y, auto& give) {
    give(kr::exp(x), kr::exp2(x), kr::exp10(x), kr::expm1(x), kr::log(x), kr::log2(x), kr::log10(x),
         kr::log1p(x), kr::pow(x, y), kr::hypot(x, y));
  });
}
TYPED_TEST(PlainFloats, Angles) {
  expect_same_plain<TypeParam, TypeParam>("angles", [](auto x, auto y, auto& give) {
    give(kr::sin(x), kr::cos(x), kr::tan(x), kr::sinpi(x), kr::cospi(x), kr::tanpi(x), kr::asin(x),
         kr::acos(x), kr::atan(x), kr::atan2(x, y), kr::degrees(x), kr::radians(x));
  });
}
TYPED_TEST(PlainFloats, Hyperbolic) {
  expect_same_plain<TypeParam, TypeParam>("hyperbolic", [](auto x, auto y, auto& give) {
    give(kr::sinh(x), kr::cosh(x), kr::tanh(x), kr::asinh(x), kr::acosh(x), kr::atanh(x),
         kr::fmod(x, y), kr::remainder(x, y));
  });
}
TYPED_TEST(PlainFloats, Special) {
  expect_same_plain<TypeParam, TypeParam>("special", [](auto x, auto, auto& give) {
    give(kr::erf(x), kr::erfc(x), kr::erfinv(x), kr::tgamma(x), kr::lgamma(x), kr::rsqrt(x),
         kr::cbrt(x), kr::rcbrt(x));
  });
}
TYPED_TEST(PlainFloats, Conversions) {
  expect_same_plain<TypeParam, TypeParam>("conversions", [](auto x, auto, auto& give) {
    give(kr::cast<bool>(x), kr::cast<std::int8_t>(x), kr::cast<std::uint8_t>(x), kr::cast<int>(x),
         kr::cast<std::uint64_t>(x), kr::cast<kr::f16>(x), kr::cast<kr::bf16>(x),
         kr::cast<kr::f8e4m3>(x), kr::cast<kr::f8e5m2>(x), kr::cast<float>(x), kr::cast<double>(x),
         kr::cast_sat<kr::f16>(x), kr::cast_sat<kr::f8e4m3>(x), kr::cast_sat<kr::f8e5m2>(x),
         kr::cast_sat<float>(x));
  });
}

template <class Type>
class PlainIntegers : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, int,
                                unsigned, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(PlainIntegers, Integers);

TYPED_TEST(PlainIntegers, Counts) {
  expect_same_plain<TypeParam, TypeParam>("counts", [](auto x, auto, auto& give) {
    give(kr::popcount(x), kr::clz(x), kr::ctz(x), kr::countl_zero(x), kr::countr_zero(x),
         kr::countl_one(x), kr::countr_one(x), kr::ffs(x), kr::bit_width(x), kr::has_single_bit(x),
         kr::bit_floor(x), kr::bit_ceil(x));
  });
}
TYPED_TEST(PlainIntegers, Bits) {
  expect_same_plain<TypeParam, TypeParam>("bits", [](auto x, auto y, auto& give) {
    give(kr::bit_reverse(x), kr::byte_swap(x), kr::byte_permute(x, y, x), kr::rotl(x, y),
         kr::rotr(x, y), kr::extract_bits(x, y, 5u), kr::insert_bits(x, y, 3u, y));
  });
}
TYPED_TEST(PlainIntegers, Arithmetic) {
  expect_same_plain<TypeParam, TypeParam>("arithmetic", [](auto x, auto y, auto& give) {
    give(kr::abs(x), kr::min(x, y), kr::max(x, y), kr::clamp(x, y, y), kr::mul_hi(x, y),
         kr::add_sat(x, y), kr::sub_sat(x, y), kr::mad(x, y, x), kr::sad(x, y, x),
         kr::select(x > y, x, y), kr::select(x, 7, y));
  });
}
TYPED_TEST(PlainIntegers, AsDoubles) {
  expect_same_plain<TypeParam, TypeParam>("as_doubles", [](auto x, auto y, auto& give) {
    give(kr::sqrt(x), kr::floor(x), kr::round(x), kr::isnan(x), kr::signbit(x), kr::copysign(x, y),
         kr::hypot(x, y), kr::fma(x, y, x), kr::minimum(x, y), kr::fdim(x, y), kr::cast<float>(x),
         kr::cast<kr::f16>(y), kr::cast<bool>(x));
  });
}
TEST(PlainMixed, TwoTypes) {
  const auto lambda = [](auto x, auto y, auto& give) {
    const auto above = kr::cast<double>(x) > kr::cast<double>(y);
    give(kr::min(x, y), kr::max(x, y), kr::clamp(x, y, y), kr::select(above, x, y),
         kr::select(true, x, y),
         kr::select(
             x, [&] { return y; }, [&] { return x; }));
  };
  expect_same_plain<std::int8_t, unsigned>("mixed", lambda);
  expect_same_plain<std::uint16_t, std::int16_t>("mixed", lambda);
  expect_same_plain<float, int>("mixed", lambda);
  expect_same_plain<std::int64_t, float>("mixed", lambda);
  expect_same_plain<kr::f16, std::uint8_t>("mixed", lambda);
  const auto integers = [](auto x, auto y, auto& give) {
    give(kr::mul_hi(x, y), kr::add_sat(x, y), kr::sub_sat(x, y), kr::sad(x, y, x));
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
  static_assert(
      std::is_same_v<decltype(kr::select(true, std::int8_t(1), std::int8_t(2))), std::int8_t>);
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
  auto plain = kr::vectorize(
      [](auto x, auto y) { return kr::max(kr::min(x != 0, true), kr::min(false, y != 0)); });
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
    return kr::select(a < b, 1, kr::select(a == b, 0, -1)) +
           10 * kr::cast<int>(kr::max(a, b) == Switch::on);
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
  const auto k = kr::kernel([](kr::view<int> y) {
    y[kr::grid()] = kr::cast<int>(kr::warp::reduce(y[kr::grid()] > 0, kr::combine::max));
  });
  std::vector<int> y(32);
  expect_usage({"warp reductions and scans need numbers: for bool use kr::warp::any, all or ballot",
                "kr::warp::any"},
               [&] {
                 k.launch({1, 32}, y);
               });
}

}  // namespace
