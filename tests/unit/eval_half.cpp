// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16: conversions and arithmetic against the host compiler's _Float16 where it has one, and
// against exact integer arithmetic.
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "ir/interp/interp.h"
#include "ir/narrow_float.h"

namespace {

using namespace krait::ir;
using Half = Narrow<Scalar::F16>;
__extension__ typedef __int128 Int128;

constexpr bool nan_bits(std::uint64_t h) { return (h & 0x7fff) > 0x7c00; }
std::uint64_t f64(double x) { return std::bit_cast<std::uint64_t>(x); }
std::uint64_t f32(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint64_t run(Op op, Scalar result, Scalar operand,
                  std::initializer_list<std::uint64_t> operands) {
  return eval(op, result, operand, std::span(operands.begin(), operands.size()));
}

/// The f16 nearest to n · 2^-48 by search over all finite f16, which are ordered like their bits:
/// an independent rounding.
std::uint64_t nearest_half(Int128 n) {
  const bool negative = n < 0;
  const Int128 magnitude = negative ? -n : n;
  // times 2^48; the code after the largest number counts as 2^16
  const auto value = [](unsigned bits) {
    const unsigned e = bits >> 10;
    return e == 0 ? Int128(bits) << 24 : Int128((bits & 0x3ff) | 0x400) << (23 + e);
  };
  // value(low) ≤ magnitude, and < value(high) unless it is infinite
  unsigned low = 0, high = 0x7c00;
  if (magnitude >= value(high)) return negative ? 0xfc00 : 0x7c00;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (value(middle) <= magnitude ? low : high) = middle;
  }
  const Int128 below = magnitude - value(low), above = value(high) - magnitude;
  const unsigned nearest = below < above || (below == above && low % 2 == 0) ? low : high;
  return nearest | (negative ? 0x8000 : 0);
}

Int128 fixed(std::uint64_t h) {  // a finite f16 times 2^24
  const unsigned e = unsigned(h >> 10 & 31), f = unsigned(h & 0x3ff);
  const Int128 m = e == 0 ? Int128(f) : Int128(f | 0x400) << (e - 1);
  return h & 0x8000 ? -m : m;
}

std::uint64_t random_half(std::mt19937_64& random) {
  const std::uint64_t r = random();
  if (r % 8 == 0) {  // near the borders
    constexpr std::uint16_t edges[] = {0x0000, 0x0001, 0x03ff, 0x0400, 0x0401, 0x3bff,
                                       0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e00};
    return edges[r / 8 % 11] | (r >> 32 & 0x8000);
  }
  return r >> 48;
}

TEST(EvalHalf, WideningMatchesTheDefinitionForAllBits) {
  for (unsigned h = 0; h < 0x10000; ++h) {
    const std::uint64_t wide = run(Op::Cast, Scalar::F64, Scalar::F16, {h});
    const std::uint64_t single = run(Op::Cast, Scalar::F32, Scalar::F16, {h});
    if (nan_bits(h)) {
      ASSERT_EQ(wide, 0x7ff8000000000000u) << h;
      ASSERT_EQ(single, 0x7fc00000u) << h;
      ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F64, {wide}), 0x7e00u);
      continue;
    }
    const unsigned e = h >> 10 & 31;
    double expected =
        e == 31 ? INFINITY : std::ldexp(e ? (h & 0x3ff) | 0x400 : h & 0x3ff, e ? int(e) - 25 : -24);
    if (h & 0x8000) expected = -expected;
    ASSERT_EQ(wide, f64(expected)) << h;
    ASSERT_EQ(single, f32(float(expected))) << h;
    ASSERT_EQ(f32(float(to_double(Half{std::uint16_t(h)}))), single) << h;
    ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F64, {wide}), h);
    ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F32, {single}), h);
  }
}

TEST(EvalHalf, NarrowingRoundsOnceAroundEveryMidpoint) {
  for (unsigned h = 0; h < 0x7c00; ++h) {
    const double here = to_double(Half{std::uint16_t(h)});
    const double next = h == 0x7bff ? 65536.0 : to_double(Half{std::uint16_t(h + 1)});
    const double middle = here / 2 + next / 2;
    const std::uint64_t even = h % 2 ? h + 1 : h;
    for (const std::uint64_t sign : {0u, 0x8000u}) {
      const double s = sign ? -1 : 1;
      ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F64, {f64(s * std::nextafter(middle, 0))}),
                h | sign);
      ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F64, {f64(s * middle)}), even | sign);
      ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F64, {f64(s * std::nextafter(middle, 1e9))}),
                (h + 1) | sign);
      ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F32,
                    {f32(float(s) * std::nextafter(float(middle), 0.0f))}),
                h | sign);
      ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F32, {f32(float(s * middle))}), even | sign);
      ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F32,
                    {f32(float(s) * std::nextafter(float(middle), 1e9f))}),
                (h + 1) | sign);
    }
  }
  for (const double huge : {65536.0, 1e30, 1.7e308, double(INFINITY)}) {
    EXPECT_EQ(run(Op::Cast, Scalar::F16, Scalar::F64, {f64(huge)}), 0x7c00u);
    EXPECT_EQ(run(Op::Cast, Scalar::F16, Scalar::F64, {f64(-huge)}), 0xfc00u);
  }
  for (const double tiny : {5e-324, 2.2e-308, 0x1p-26}) {
    EXPECT_EQ(run(Op::Cast, Scalar::F16, Scalar::F64, {f64(tiny)}), 0u);
    EXPECT_EQ(run(Op::Cast, Scalar::F16, Scalar::F64, {f64(-tiny)}), 0x8000u);
  }
  EXPECT_EQ(run(Op::Cast, Scalar::F16, Scalar::F32, {0x00000001}), 0u);
  EXPECT_EQ(run(Op::Cast, Scalar::F16, Scalar::F32, {0xff800001}), 0x7e00u);  // a signalling NaN
}

TEST(EvalHalf, IntegersRoundOnce) {
  for (std::int64_t i = -70000; i <= 70000; ++i) {
    const std::uint64_t expected = nearest_half(Int128(i) << 48);
    ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::I64, {std::uint64_t(i)}), expected) << i;
    ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::I32, {std::uint32_t(i)}), expected) << i;
    if (i < 0) continue;
    ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::U64, {std::uint64_t(i)}), expected) << i;
    ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::U32, {std::uint64_t(i)}), expected) << i;
  }
  EXPECT_EQ(run(Op::Cast, Scalar::F16, Scalar::U64, {~0ull}), 0x7c00u);
  EXPECT_EQ(run(Op::Cast, Scalar::F16, Scalar::I64, {1ull << 63}), 0xfc00u);
  EXPECT_EQ(run(Op::Cast, Scalar::F16, Scalar::I8, {0x80}),
            nearest_half(Int128(-128) * (Int128(1) << 48)));
}

TEST(EvalHalf, SumsAndProductsAreTheNearestToTheExactValue) {
  std::mt19937_64 random(1);
  const auto finite = [](std::uint64_t h) { return (h & 0x7fff) < 0x7c00; };
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t x = random_half(random), y = random_half(random), z = random_half(random);
    if (!finite(x) || !finite(y) || !finite(z)) continue;
    // A zero result has the sign that the host's double arithmetic gives it: those sums are exact.
    const auto wide = [](std::uint64_t h) { return to_double(Half{std::uint16_t(h)}); };
    const double dx = wide(x), dy = wide(y), dz = wide(z);
    const auto expect = [](Int128 exact, double sign_of_zero) {
      return exact == 0 ? std::uint64_t(std::signbit(sign_of_zero) ? 0x8000 : 0)
                        : nearest_half(exact);
    };
    const Int128 one = Int128(1) << 24;
    ASSERT_EQ(run(Op::Add, Scalar::F16, Scalar::F16, {x, y}),
              expect((fixed(x) + fixed(y)) * one, dx + dy))
        << x << ' ' << y;
    ASSERT_EQ(run(Op::Sub, Scalar::F16, Scalar::F16, {x, y}),
              expect((fixed(x) - fixed(y)) * one, dx - dy))
        << x << ' ' << y;
    const std::uint64_t product =
        fixed(x) * fixed(y) == 0 ? expect(0, dx * dy) : nearest_half(fixed(x) * fixed(y));
    ASSERT_EQ(run(Op::Mul, Scalar::F16, Scalar::F16, {x, y}), product | ((x ^ y) & 0x8000))
        << x << ' ' << y;
    ASSERT_EQ(run(Op::Fma, Scalar::F16, Scalar::F16, {x, y, z}),
              expect(fixed(x) * fixed(y) + fixed(z) * one, dx * dy + dz))
        << x << ' ' << y << ' ' << z;
  }
}

/// The quotient's nearest f16 by comparing cross products, exactly: |x| against (h + h')/2 · |y|.
TEST(EvalHalf, QuotientsAndRootsAreNearest) {
  std::mt19937_64 random(2);
  // fixed() scales by 2^24; twice the midpoint of a code and its neighbour, in the same scale.
  const auto twice_middle = [](std::uint64_t h) {
    return fixed(h) + (h == 0x7bff ? Int128(1) << 40 : fixed(h + 1));
  };
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t x = random_half(random) & 0x7fff, y = random_half(random) & 0x7fff;
    if (x >= 0x7c00 || y >= 0x7c00) continue;
    if (y != 0 && x != 0) {
      const std::uint64_t q = run(Op::Div, Scalar::F16, Scalar::F16, {x, y});
      ASSERT_EQ(run(Op::Div, Scalar::F16, Scalar::F16, {x | 0x8000, y}), q | 0x8000);
      const Int128 twice_x = fixed(x) * 2 * (Int128(1) << 24);
      ASSERT_LE(q, 0x7c00u);
      const Int128 above = twice_middle(q < 0x7c00 ? q : 0x7bff) * fixed(y),
                   below = q ? twice_middle(q - 1) * fixed(y) : -1;
      // A tie goes to the even code.
      ASSERT_TRUE(q == 0x7c00 || twice_x < above || (twice_x == above && q % 2 == 0))
          << x << ' ' << y;
      ASSERT_TRUE(twice_x > below || (twice_x == below && q % 2 == 0)) << x << ' ' << y;
    }
    const std::uint64_t r = run(Op::Sqrt, Scalar::F16, Scalar::F16, {x});
    const Int128 four_x = fixed(x) * 4 * (Int128(1) << 24);
    ASSERT_LT(four_x, twice_middle(r) * twice_middle(r)) << x;  // a root is never a midpoint
    ASSERT_TRUE(r == 0 || four_x > twice_middle(r - 1) * twice_middle(r - 1)) << x;
  }
}

#ifdef __FLT16_MANT_DIG__
TEST(EvalHalf, AgreesWithTheHostCompiler) {
  const auto host = [](std::uint64_t h) { return std::bit_cast<_Float16>(std::uint16_t(h)); };
  const auto bits = [](_Float16 x) -> std::uint64_t {
    const auto b = std::bit_cast<std::uint16_t>(x);
    return nan_bits(b) ? 0x7e00 : b;
  };
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t x = random_half(random), y = random_half(random), r = random();
    const _Float16 a = host(x), b = host(y);
    ASSERT_EQ(run(Op::Add, Scalar::F16, Scalar::F16, {x, y}), bits(_Float16(a + b)))
        << x << ' ' << y;
    ASSERT_EQ(run(Op::Mul, Scalar::F16, Scalar::F16, {x, y}), bits(_Float16(a * b)))
        << x << ' ' << y;
    ASSERT_EQ(run(Op::Div, Scalar::F16, Scalar::F16, {x, y}), bits(_Float16(a / b)))
        << x << ' ' << y;
    ASSERT_EQ(run(Op::Lt, Scalar::Bool, Scalar::F16, {x, y}), a < b) << x << ' ' << y;
    ASSERT_EQ(run(Op::Eq, Scalar::Bool, Scalar::F16, {x, y}), a == b) << x << ' ' << y;
    const double any =
        std::bit_cast<double>((r & 0x800fffffffffffff) | (990 + (r >> 52 & 63)) << 52);
    ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F64, {f64(any)}), bits(_Float16(any))) << any;
    ASSERT_EQ(run(Op::Cast, Scalar::F16, Scalar::F32, {f32(float(any))}),
              bits(_Float16(float(any))))
        << any;
  }
}
#endif

static_assert(narrow<Half>(1.0).bits == 0x3c00 && narrow<Half>(65519.99).bits == 0x7bff &&
              narrow<Half>(65520.0).bits == 0x7c00);
static_assert(to_double(Half{0x0001}) == 0x1p-24 && to_double(Half{0x83ff}) == -0x3ffp-24f);
// Through f32 this would round twice: 2049 + 2^-20 is above the midpoint.
static_assert(narrow<Half>(2049.0 + 0x1p-20).bits == 0x6801 &&
              narrow<Half>(float(2049.0 + 0x1p-20)).bits == 0x6800);

}  // namespace
