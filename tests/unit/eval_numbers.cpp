// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// eval of every operation on edge values, against expectations written in wider arithmetic.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "ir/interp/interp.h"
#include "support/float_environment.h"

namespace {

using namespace krait::ir;
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;
using Bits = std::uint64_t;

Bits run(Op op, Scalar result, Scalar operand, std::initializer_list<Bits> operands) {
  return eval(op, result, operand, std::span(operands.begin(), operands.size()));
}

constexpr Scalar all_ints[] = {Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64,
                               Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64};

Bits mask_of(Scalar s) { return ~Bits(0) >> (64 - bits_of(s)); }
/// The number that the bits stand for.
Int128 number(Bits b, Scalar s) {
  const bool negative = is_signed_int(s) && (b >> (bits_of(s) - 1) & 1);
  return negative ? Int128(b) - (Int128(1) << bits_of(s)) : Int128(b);
}
Bits wrapped(Int128 n, Scalar s) { return Bits(n) & mask_of(s); }
Int128 minimum(Scalar s) { return is_signed_int(s) ? -(Int128(1) << (bits_of(s) - 1)) : 0; }
Int128 maximum(Scalar s) { return (Int128(1) << (bits_of(s) - is_signed_int(s))) - 1; }

std::vector<Bits> edge_bits(Scalar s) {
  std::vector<Bits> edges;
  for (const Int128 n :
       {Int128(0),  Int128(1),      Int128(2),      Int128(3),          Int128(7),
        Int128(10), Int128(100),    Int128(127),    Int128(128),        Int128(-1),
        Int128(-2), Int128(-3),     Int128(-10),    minimum(s),         minimum(s) + 1,
        maximum(s), maximum(s) - 1, maximum(s) / 2, maximum(s) / 2 + 1, maximum(s) / 3})
    edges.push_back(wrapped(n, s));
  std::mt19937_64 random(7);
  for (int i = 0; i < 20; ++i) edges.push_back(random() & mask_of(s));
  return edges;
}

TEST(EvalIntegers, Binary) {
  for (const Scalar s : all_ints)
    for (const Bits x : edge_bits(s))
      for (const Bits y : edge_bits(s)) {
        SCOPED_TRACE(testing::Message() << name_of(s) << ' ' << x << ' ' << y);
        const Int128 a = number(x, s), b = number(y, s);
        ASSERT_EQ(run(Op::Add, s, s, {x, y}), wrapped(a + b, s));
        ASSERT_EQ(run(Op::Sub, s, s, {x, y}), wrapped(a - b, s));
        // The product of two u64 fits an unsigned 128-bit number, whose bits are those of the
        // wrapped signed one.
        const Int128 product = s == Scalar::U64 ? Int128(Uint128(a) * Uint128(b)) : a * b;
        ASSERT_EQ(run(Op::Mul, s, s, {x, y}), wrapped(product, s));
        ASSERT_EQ(run(Op::AddSat, s, s, {x, y}),
                  wrapped(std::clamp(a + b, minimum(s), maximum(s)), s));
        ASSERT_EQ(run(Op::SubSat, s, s, {x, y}),
                  wrapped(std::clamp(a - b, minimum(s), maximum(s)), s));
        ASSERT_EQ(run(Op::MulHi, s, s, {x, y}), wrapped(product >> bits_of(s), s));
        ASSERT_EQ(run(Op::Div, s, s, {x, y}), wrapped(b == 0 ? 0 : a / b, s));
        ASSERT_EQ(run(Op::Rem, s, s, {x, y}), wrapped(b == 0 ? 0 : a % b, s));
        ASSERT_EQ(run(Op::Min, s, s, {x, y}), a < b ? x : y);
        ASSERT_EQ(run(Op::Max, s, s, {x, y}), a < b ? y : x);
        ASSERT_EQ(run(Op::And, s, s, {x, y}), x & y);
        ASSERT_EQ(run(Op::Or, s, s, {x, y}), x | y);
        ASSERT_EQ(run(Op::Xor, s, s, {x, y}), x ^ y);
        ASSERT_EQ(run(Op::Eq, Scalar::Bool, s, {x, y}), Bits(a == b));
        ASSERT_EQ(run(Op::Ne, Scalar::Bool, s, {x, y}), Bits(a != b));
        ASSERT_EQ(run(Op::Lt, Scalar::Bool, s, {x, y}), Bits(a < b));
        ASSERT_EQ(run(Op::Le, Scalar::Bool, s, {x, y}), Bits(a <= b));
        ASSERT_EQ(run(Op::Gt, Scalar::Bool, s, {x, y}), Bits(a > b));
        ASSERT_EQ(run(Op::Ge, Scalar::Bool, s, {x, y}), Bits(a >= b));
      }
}

TEST(EvalIntegers, WhatCppLeavesUndefined) {
  EXPECT_EQ(run(Op::Div, Scalar::I32, Scalar::I32, {0x80000000, 0xffffffff}), 0x80000000u);
  EXPECT_EQ(run(Op::Rem, Scalar::I32, Scalar::I32, {0x80000000, 0xffffffff}), 0u);
  EXPECT_EQ(run(Op::Div, Scalar::I64, Scalar::I64, {Bits(1) << 63, ~Bits(0)}), Bits(1) << 63);
  EXPECT_EQ(run(Op::Rem, Scalar::I64, Scalar::I64, {Bits(1) << 63, ~Bits(0)}), 0u);
  EXPECT_EQ(run(Op::Div, Scalar::I8, Scalar::I8, {0x80, 0xff}), 0x80u);
  EXPECT_EQ(run(Op::Div, Scalar::U64, Scalar::U64, {5, 0}), 0u);
  EXPECT_EQ(run(Op::Rem, Scalar::I16, Scalar::I16, {5, 0}), 0u);
  EXPECT_EQ(run(Op::Rem, Scalar::I32, Scalar::I32, {Bits(std::uint32_t(-7)), 3}),
            Bits(std::uint32_t(-1)));
}

TEST(EvalIntegers, Unary) {
  for (const Scalar s : all_ints)
    for (const Bits x : edge_bits(s)) {
      SCOPED_TRACE(testing::Message() << name_of(s) << ' ' << x);
      const Int128 a = number(x, s);
      const unsigned width = bits_of(s);
      ASSERT_EQ(run(Op::Neg, s, s, {x}), wrapped(-a, s));
      ASSERT_EQ(run(Op::Abs, s, s, {x}), wrapped(a < 0 ? -a : a, s));
      ASSERT_EQ(run(Op::Not, s, s, {x}), ~x & mask_of(s));
      Bits reversed = 0, swapped = 0, ones = 0, leading = width, trailing = width;
      for (unsigned i = 0; i < width; ++i) {
        if (!(x >> i & 1)) continue;
        reversed += Bits(1) << (width - 1 - i);
        swapped += Bits(1) << ((width / 8 - 1 - i / 8) * 8 + i % 8);
        ++ones;
        leading = width - 1 - i;
        if (trailing == width) trailing = i;
      }
      ASSERT_EQ(run(Op::Bitrev, s, s, {x}), reversed);
      ASSERT_EQ(run(Op::Bswap, s, s, {x}), swapped);
      ASSERT_EQ(run(Op::Popcount, Scalar::I32, s, {x}), ones);
      ASSERT_EQ(run(Op::Clz, Scalar::I32, s, {x}), leading);
      ASSERT_EQ(run(Op::Ctz, Scalar::I32, s, {x}), trailing);
    }
}

TEST(EvalIntegers, BytePermute) {
  std::mt19937_64 random(11);
  for (const Scalar s : all_ints) {
    const std::size_t size = size_of(s);
    for (int trial = 0; trial < 500; ++trial) {
      const Bits x = random() & mask_of(s), y = random() & mask_of(s),
                 selector = random() & mask_of(s);
      std::vector<unsigned> bytes;
      for (const Bits word : {x, y})
        for (std::size_t i = 0; i < size; ++i) bytes.push_back(unsigned(word >> (8 * i) & 0xff));
      Bits expected = 0;
      for (std::size_t i = 0; i < size; ++i)
        expected |= Bits(bytes[(selector >> (4 * i)) % bytes.size()]) << (8 * i);
      ASSERT_EQ(run(Op::BytePermute, s, s, {x, y, selector}), expected)
          << name_of(s) << ' ' << std::hex << x << ' ' << y << ' ' << selector;
    }
  }
  // CUDA's __byte_perm, of which bit 3 of a selector is no part.
  EXPECT_EQ(run(Op::BytePermute, Scalar::U32, Scalar::U32, {0x33221100, 0x77665544, 0x7531}),
            0x77553311u);
  EXPECT_EQ(run(Op::BytePermute, Scalar::U32, Scalar::U32, {0x33221100, 0x77665544, 0x8c0f}),
            0x00440077u);
}

TEST(EvalIntegers, SumsOfProductsOfBytes) {
  std::mt19937_64 random(12);
  for (const Scalar s : all_ints)
    for (int trial = 0; trial < 500; ++trial) {
      const auto word = [&] {
        return (trial % 5 ? random() : random() & 0x8080808080808080) & mask_of(s);
      };
      const Bits x = word(), y = word(), z = word();
      Int128 same = number(z, s), mixed = same;
      for (unsigned i = 0; i < size_of(s); ++i) {
        const Bits a = x >> (8 * i) & 0xff, b = y >> (8 * i) & 0xff;
        const Scalar byte = is_signed_int(s) ? Scalar::I8 : Scalar::U8;
        same += number(a, byte) * number(b, byte);
        mixed += Int128(a) * number(b, Scalar::I8);
      }
      ASSERT_EQ(run(Op::DotBytes, s, s, {x, y, z}), wrapped(same, s))
          << name_of(s) << ' ' << std::hex << x << ' ' << y;
      ASSERT_EQ(run(Op::DotMixed, s, s, {x, y, z}), wrapped(mixed, s))
          << name_of(s) << ' ' << std::hex << x << ' ' << y;
    }
}

TEST(EvalFloats, SumsOfProductsOfPairs) {
  const auto run_pairs = [](std::uint32_t x, std::uint32_t y, float z) {
    return std::bit_cast<float>(std::uint32_t(
        run(Op::DotPairs, Scalar::F32, Scalar::U32, {x, y, std::bit_cast<std::uint32_t>(z)})));
  };
  EXPECT_EQ(run_pairs(0x40403f80, 0x40a04000, 0.5f), 17.5f);  // 1 * 2 + 3 * 5
  EXPECT_EQ(run_pairs(0x3f803f80, 0x3f803380, 1.0f),
            2.0f);  // the lower ones first, and the sum rounded each time: 1 + 2^-24 is 1
}

TEST(EvalIntegers, ShiftCountsAreTakenModuloTheWidth) {
  for (const Scalar s : all_ints)
    for (const Bits x : edge_bits(s))
      for (const Scalar count_type : all_ints)
        for (const int count : {0, 1, 5, 7, 8, 15, 31, 32, 33, 63, 64, 100, -1, -64}) {
          const int width = int(bits_of(s)), n = ((count % width) + width) % width;
          const Bits count_bits = wrapped(count, count_type);
          ASSERT_EQ(run(Op::Shl, s, s, {x, count_bits}), x << n & mask_of(s))
              << name_of(s) << ' ' << x << ' ' << count;
          // Arithmetic: rounds down.
          ASSERT_EQ(run(Op::Shr, s, s, {x, count_bits}), wrapped(number(x, s) >> n, s))
              << name_of(s) << ' ' << x << ' ' << count;
        }
}

TEST(EvalIntegers, CastsKeepTheValueModuloTheWidth) {
  for (const Scalar from : all_ints)
    for (const Bits x : edge_bits(from)) {
      for (const Scalar to : all_ints)
        ASSERT_EQ(run(Op::Cast, to, from, {x}), wrapped(number(x, from), to));
      ASSERT_EQ(run(Op::Cast, Scalar::Bool, from, {x}), Bits(x != 0));
    }
  for (const Scalar to : all_ints) EXPECT_EQ(run(Op::Cast, to, Scalar::Bool, {1}), 1u);
  EXPECT_EQ(run(Op::Cast, Scalar::F16, Scalar::Bool, {1}), 0x3c00u);
  EXPECT_EQ(run(Op::Cast, Scalar::F32, Scalar::Bool, {1}), 0x3f800000u);
  EXPECT_EQ(run(Op::Cast, Scalar::F64, Scalar::Bool, {0}), 0u);
  EXPECT_EQ(run(Op::Cast, Scalar::Bool, Scalar::Bool, {1}), 1u);
}

TEST(EvalBool, LogicAndSelect) {
  for (Bits x = 0; x < 2; ++x)
    for (Bits y = 0; y < 2; ++y) {
      EXPECT_EQ(run(Op::And, Scalar::Bool, Scalar::Bool, {x, y}), x & y);
      EXPECT_EQ(run(Op::Or, Scalar::Bool, Scalar::Bool, {x, y}), x | y);
      EXPECT_EQ(run(Op::Xor, Scalar::Bool, Scalar::Bool, {x, y}), x ^ y);
      EXPECT_EQ(run(Op::Eq, Scalar::Bool, Scalar::Bool, {x, y}), Bits(x == y));
      EXPECT_EQ(run(Op::Ne, Scalar::Bool, Scalar::Bool, {x, y}), Bits(x != y));
      EXPECT_EQ(run(Op::Not, Scalar::Bool, Scalar::Bool, {x}), 1 - x);
    }
  // a NaN's bits pass
  EXPECT_EQ(run(Op::Select, Scalar::F32, Scalar::Bool, {1, 0x7fc12345, 2}), 0x7fc12345u);
  EXPECT_EQ(run(Op::Select, Scalar::I64, Scalar::Bool, {0, 1, 2}), 2u);
  EXPECT_EQ(run(Op::Bitcast, Scalar::F32, Scalar::U32, {0x7f812345}), 0x7f812345u);
}

// ---- floats: the same tests for f32 and f64 -----------------------------------------------------

template <class T>
struct EvalFloats : testing::Test {
  static constexpr Scalar type = sizeof(T) == 4 ? Scalar::F32 : Scalar::F64;
  using Raw = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static Bits bits(T x) { return std::isnan(x) ? nan() : std::bit_cast<Raw>(x); }
  static Bits nan() { return sizeof(T) == 4 ? 0x7fc00000 : 0x7ff8000000000000; }
  static std::vector<T> edges() {
    using L = std::numeric_limits<T>;
    std::vector<T> all{0,
                       1,
                       T(1.5),
                       2,
                       T(2.5),
                       3,
                       T(0.5),
                       T(0.1),
                       L::min(),
                       L::denorm_min(),
                       L::max(),
                       L::epsilon(),
                       L::infinity(),
                       1 - L::epsilon() / 2,
                       T(0.49999997),
                       1 / L::epsilon(),
                       2 / L::epsilon() + 2,
                       T(1e10),
                       L::min() - L::denorm_min(),
                       T(127.9),
                       T(128),
                       T(255.5),
                       T(32767.6),
                       T(65536),
                       T(2147483520),
                       T(2147483648),
                       T(4294967296),
                       T(9223372036854775808.0),
                       T(18446744073709551616.0),
                       T(1e30)};
    for (std::size_t i = 0, n = all.size(); i < n; ++i) all.push_back(-all[i]);
    all.push_back(L::quiet_NaN());
    // a signalling one
    all.push_back(std::bit_cast<T>(Raw(sizeof(T) == 4 ? 0xff812345 : 0xfff0000000012345)));
    return all;
  }
  static Bits raw(T x) { return std::bit_cast<Raw>(x); }
};
using BothFloats = testing::Types<float, double>;
TYPED_TEST_SUITE(EvalFloats, BothFloats);

TYPED_TEST(EvalFloats, Arithmetic) {
  using F = EvalFloats<TypeParam>;
  using T = TypeParam;
  for (const T x : F::edges())
    for (const T y : F::edges()) {
      SCOPED_TRACE(testing::Message() << x << ' ' << y);
      const Bits a = F::raw(x), b = F::raw(y);
      ASSERT_EQ(run(Op::Add, F::type, F::type, {a, b}), F::bits(x + y));
      ASSERT_EQ(run(Op::Sub, F::type, F::type, {a, b}), F::bits(x - y));
      ASSERT_EQ(run(Op::Mul, F::type, F::type, {a, b}), F::bits(x * y));
      ASSERT_EQ(run(Op::Div, F::type, F::type, {a, b}), F::bits(x / y));
      ASSERT_EQ(run(Op::Copysign, F::type, F::type, {a, b}), F::bits(std::copysign(x, y)));
      ASSERT_EQ(run(Op::Eq, Scalar::Bool, F::type, {a, b}), Bits(x == y));
      ASSERT_EQ(run(Op::Ne, Scalar::Bool, F::type, {a, b}), Bits(x != y));
      ASSERT_EQ(run(Op::Lt, Scalar::Bool, F::type, {a, b}), Bits(x < y));
      ASSERT_EQ(run(Op::Le, Scalar::Bool, F::type, {a, b}), Bits(x <= y));
      ASSERT_EQ(run(Op::Gt, Scalar::Bool, F::type, {a, b}), Bits(x > y));
      ASSERT_EQ(run(Op::Ge, Scalar::Bool, F::type, {a, b}), Bits(x >= y));
      // -0 < +0 and a NaN loses: order by value, then by sign.
      const bool first = std::isnan(y) || x < y || (x == y && std::signbit(x));
      ASSERT_EQ(run(Op::Min, F::type, F::type, {a, b}), F::bits(!std::isnan(x) && first ? x : y));
      const bool last = std::isnan(y) || x > y || (x == y && !std::signbit(x));
      ASSERT_EQ(run(Op::Max, F::type, F::type, {a, b}), F::bits(!std::isnan(x) && last ? x : y));
      for (const T z : {T(0), T(1), -x * y, std::numeric_limits<T>::denorm_min(), y})
        ASSERT_EQ(run(Op::Fma, F::type, F::type, {a, b, F::raw(z)}), F::bits(std::fma(x, y, z)))
            << z;
    }
}

TYPED_TEST(EvalFloats, Unary) {
  using F = EvalFloats<TypeParam>;
  using T = TypeParam;
  for (const T x : F::edges()) {
    SCOPED_TRACE(x);
    const Bits a = F::raw(x);
    ASSERT_EQ(run(Op::Neg, F::type, F::type, {a}), F::bits(-x));
    ASSERT_EQ(run(Op::Abs, F::type, F::type, {a}), F::bits(std::fabs(x)));
    ASSERT_EQ(run(Op::Sqrt, F::type, F::type, {a}), F::bits(std::sqrt(x)));
    ASSERT_EQ(run(Op::Floor, F::type, F::type, {a}), F::bits(std::floor(x)));
    ASSERT_EQ(run(Op::Ceil, F::type, F::type, {a}), F::bits(std::ceil(x)));
    ASSERT_EQ(run(Op::Trunc, F::type, F::type, {a}), F::bits(std::trunc(x)));
    // Ties to even, written out: the remainder decides.
    T nearest = std::floor(x);
    const T rest = x - nearest;
    if (rest > T(0.5) || (rest == T(0.5) && std::fmod(nearest, T(2)) != 0)) nearest += 1;
    ASSERT_EQ(run(Op::Rint, F::type, F::type, {a}),
              F::bits(std::isfinite(x) ? std::copysign(nearest, x) : x));
    ASSERT_EQ(run(Op::Isnan, Scalar::Bool, F::type, {a}), Bits(std::isnan(x)));
    ASSERT_EQ(run(Op::Isinf, Scalar::Bool, F::type, {a}), Bits(std::isinf(x)));
    ASSERT_EQ(run(Op::Cast, Scalar::Bool, F::type, {a}), Bits(!(x == 0)));
  }
}

TYPED_TEST(EvalFloats, ToIntegersTruncatesAndSaturates) {
  using F = EvalFloats<TypeParam>;
  for (const TypeParam x : F::edges())
    for (const Scalar to : all_ints) {
      // Every finite value below 2^100 has its whole part in 128 bits.
      Int128 expected = 0;
      if (x >= TypeParam(1e29)) expected = maximum(to);
      else if (x <= TypeParam(-1e29)) expected = minimum(to);
      else if (!std::isnan(x)) expected = std::min(std::max(Int128(x), minimum(to)), maximum(to));
      ASSERT_EQ(run(Op::Cast, to, F::type, {F::raw(x)}), wrapped(expected, to))
          << x << " to " << name_of(to);
    }
}

TYPED_TEST(EvalFloats, FromIntegersRoundsToNearestEven) {
  using F = EvalFloats<TypeParam>;
  constexpr int digits = std::numeric_limits<TypeParam>::digits;
  std::mt19937_64 random(11);
  std::vector<Bits> values = edge_bits(Scalar::I64);
  for (int i = 0; i < 2000; ++i) values.push_back(random() >> (random() % 64));
  for (int i = digits + 1; i < 64; ++i)  // around midpoints
    for (const Bits tail : {Bits(0), Bits(1), ~Bits(0)})
      for (const Bits odd : {Bits(0), Bits(1)})
        values.push_back((Bits(1) << (i - 1)) + (odd << (i - digits)) +
                         (Bits(1) << (i - digits - 1)) + tail);
  for (const Bits v : values)
    for (const Scalar from : all_ints) {
      const Int128 n = number(v & mask_of(from), from);
      const Int128 magnitude = n < 0 ? -n : n;
      Int128 unit = 1;  // the last place of the result
      while (magnitude / unit >= Int128(1) << digits) unit *= 2;
      Int128 quotient = magnitude / unit;
      const Int128 rest = magnitude - quotient * unit;
      if (rest * 2 > unit || (rest * 2 == unit && quotient % 2 != 0)) ++quotient;
      const double expected = double(quotient) * double(unit);
      const TypeParam signed_expected = TypeParam(n < 0 ? -expected : expected);
      ASSERT_EQ(run(Op::Cast, F::type, from, {v & mask_of(from)}), F::bits(signed_expected))
          << v << name_of(from);
    }
}

TEST(EvalFloatCasts, BetweenWidths) {
  const auto narrow = [](double x) {
    return run(Op::Cast, Scalar::F32, Scalar::F64, {std::bit_cast<Bits>(x)});
  };
  EXPECT_EQ(narrow(1 + 0x1p-24), 0x3f800000u);  // a tie goes to even
  EXPECT_EQ(narrow(1 + 0x1p-24 + 0x1p-52), 0x3f800001u);
  EXPECT_EQ(narrow(0x1p-149 * 0.75), 1u);
  EXPECT_EQ(narrow(1e300), 0x7f800000u);
  EXPECT_EQ(run(Op::Cast, Scalar::F64, Scalar::F32, {1}), std::bit_cast<Bits>(0x1p-149));
  EXPECT_EQ(run(Op::Cast, Scalar::F64, Scalar::F32, {0xffc12345}), 0x7ff8000000000000u);
  EXPECT_EQ(run(Op::Cast, Scalar::Bool, Scalar::F16, {0x8000}), 0u);
  EXPECT_EQ(run(Op::Cast, Scalar::Bool, Scalar::F16, {0x7e00}), 1u);
  EXPECT_EQ(run(Op::Cast, Scalar::I8, Scalar::F16, {0x7c00}), 127u);
  EXPECT_EQ(run(Op::Cast, Scalar::U8, Scalar::F16, {0xfc00}), 0u);
  EXPECT_EQ(run(Op::Cast, Scalar::I64, Scalar::F16, {0xfbff}), Bits(-65504));
}

#if defined(__x86_64__)
TEST(FloatEnvironment, SubnormalsAndRoundingAreThoseOfTheStandard) {
  const unsigned saved = _mm_getcsr();
  // flush to zero, subnormals are zero, rounding up
  const unsigned unusual = 0x1f80 | 0x8040 | 0x4000;
  _mm_setcsr(unusual);
  Bits sum = 0, third = 0;
  {
    const krait::DefaultFloatEnvironment environment;
    sum = run(Op::Add, Scalar::F32, Scalar::F32, {1, 2});
    third = run(Op::Div, Scalar::F32, Scalar::F32, {0x3f800000, 0x40400000});
  }
  const unsigned after = _mm_getcsr() & ~0x3fu;
  _mm_setcsr(saved);
  EXPECT_EQ(sum, 3u);
  EXPECT_EQ(third, 0x3eaaaaabu);
  EXPECT_EQ(after, unusual);
}
#endif

}  // namespace
