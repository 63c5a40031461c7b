// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The floats below 32 bits, exhaustively: the host's types, the interpreter and what lower_types
// makes of them agree on the bits of every value's conversion to every type, and on every rounding
// boundary.
#include <gtest/gtest.h>
#include <krait/krait.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "ir/builder.h"
#include "ir/interp/interp.h"
#include "ir/text/text.h"
#include "passes/passes.h"

namespace kr = krait;

namespace {

using namespace krait::ir;
using Bits = std::uint64_t;

template <class T>
constexpr Scalar scalar_of = Scalar(kr::detail::scalar_of<T>);

Bits canonical(Scalar s, Bits bits) { return is_nan(s, bits) ? canonical_nan(s) : bits; }
template <class T>
Bits bits_of_plain(T x) {
  return canonical(scalar_of<T>, kr::detail::bits_of(x));
}

/// An operation on columns of bits, recorded and as expand_ops and lower_types leave it for a
/// target: a straight function for each, walked by eval.
class Straight {
 public:
  Straight(Op op, Scalar result, Scalar operand, unsigned arity,
           krait::passes::SmallFloats has = {})
      : f_(new_function("straight")) {
    Builder b(f_);
    b.at(f_.body);
    std::vector<ValueId> operands;
    for (unsigned k = 0; k < arity; ++k)
      operands.push_back(b.new_param(f_.body, value_type(operand)));
    out_ = b.emit(op, value_type(result), operands);
    b.append(Op::Yield, {}, std::vector{out_});
    f_.results = {result};
    Module m{{f_}};
    const auto to_float8 = [](const Inst& i) {
      return i.op == Op::CastSat && is_float(i.type.scalar) && size_of(i.type.scalar) == 1;
    };
    krait::passes::expand_ops(
        m, has.float8 ? to_float8 : [](const Inst&) { return false; }, 32);
    krait::passes::lower_types(m, has);
    lowered_ = m.functions[0];
  }
  Bits recorded(std::initializer_list<Bits> x) const { return run(f_, x); }
  Bits lowered(std::initializer_list<Bits> x) const { return run(lowered_, x); }

 private:
  static Bits run(const Function& f, std::initializer_list<Bits> x) {
    static std::vector<Bits> values;
    values.assign(f.values.size(), 0);
    std::size_t k = 0;
    for (const Bits b : x) values[f.params()[k++]] = b;
    for (const InstId i : f.regions[f.body].insts) {
      const Inst& inst = f.insts[i];
      if (inst.op == Op::Yield) return values[inst.operands[0]];
      Bits in[3] = {};
      for (std::size_t o = 0; o < inst.operands.size(); ++o) in[o] = values[inst.operands[o]];
      values[inst.results[0]] =
          inst.op == Op::Const ? inst.imm
                               : eval(inst.op, inst.type.scalar, f.type_of(inst.operands[0]).scalar,
                                      std::span(in, inst.operands.size()));
    }
    return 0;
  }
  friend bool only_conversions(const Straight& s);
  Function f_, lowered_;
  ValueId out_{};
};

template <class Narrow>
struct NarrowFloats : testing::Test {
  static constexpr Scalar type = scalar_of<Narrow>;
  static constexpr unsigned count = 1u << bits_of(type);
  static Narrow value(unsigned bits) { return kr::detail::from_bits<Narrow>(bits); }

  template <class To>
  static void expect_conversion_to() {
    const Straight cast(Op::Cast, scalar_of<To>, type, 1),
        saturating(Op::CastSat, scalar_of<To>, type, 1);
    for (unsigned bits = 0; bits < count; ++bits) {
      const Bits plain = bits_of_plain(kr::cast<To>(value(bits))),
                 inside = bits_of_plain(kr::cast_sat<To>(value(bits)));
      ASSERT_EQ(canonical(scalar_of<To>, cast.recorded({bits})), plain)
          << bits << " to " << name_of(scalar_of<To>);
      ASSERT_EQ(canonical(scalar_of<To>, cast.lowered({bits})), plain)
          << bits << " lowered to " << name_of(scalar_of<To>);
      ASSERT_EQ(canonical(scalar_of<To>, saturating.recorded({bits})), inside)
          << bits << " to " << name_of(scalar_of<To>);
      ASSERT_EQ(canonical(scalar_of<To>, saturating.lowered({bits})), inside)
          << bits << " lowered to " << name_of(scalar_of<To>);
    }
  }
  template <class From>
  static void expect_conversion_from(const std::vector<From>& values) {
    const Straight cast(Op::Cast, type, scalar_of<From>, 1);
    for (const From x : values) {
      const Bits plain = bits_of_plain(kr::cast<Narrow>(x)), in = kr::detail::bits_of(x);
      ASSERT_EQ(cast.recorded({in}), plain)
          << std::hex << in << " from " << name_of(scalar_of<From>);
      ASSERT_EQ(cast.lowered({in}), plain)
          << std::hex << in << " lowered from " << name_of(scalar_of<From>);
    }
    if constexpr (std::is_floating_point_v<From>) {
      const Straight saturating(Op::CastSat, type, scalar_of<From>, 1);
      for (const From x : values) {
        const Bits plain = bits_of_plain(kr::cast_sat<Narrow>(x)), in = kr::detail::bits_of(x);
        ASSERT_EQ(saturating.recorded({in}), plain)
            << std::hex << in << " from " << name_of(scalar_of<From>);
        ASSERT_EQ(saturating.lowered({in}), plain)
            << std::hex << in << " lowered from " << name_of(scalar_of<From>);
      }
    }
  }
  /// Every value, every midpoint of two, and their neighbours.
  template <class From>
  static std::vector<From> boundaries() {
    std::vector<From> out;
    for (unsigned bits = 0; bits < count; ++bits) {
      const auto x = double(float(value(bits))), next = double(float(value((bits + 1) % count)));
      for (const double y : {x, x / 2 + next / 2}) {
        const auto at = From(y);
        for (const From z :
             {at, std::nextafter(at, From(-INFINITY)), std::nextafter(at, From(INFINITY))})
          out.push_back(z);
      }
    }
    for (const double at :
         {448.0, 464.0, 480.0, 496.0, 512.0, 57344.0, 61440.0, 65536.0, 0x1p-10, 0x1p-17, 0x1p-18})
      for (const double x : {at, std::nextafter(at, 0.0), double(std::nextafter(float(at), 0.0f)),
                             double(std::nextafter(float(at), 1e9f))})
        for (const double y : {x, -x}) out.push_back(From(y));
    for (const double x :
         {double(INFINITY), double(NAN), 0x1.fep127, 0x1.ff7fffp127, 0x1.ffp127, 0x1.ff8p127,
          0x1p128, 0x1p-134, 0x1.8p-134, 0x1p-135, 0x1p-149, 0x1p-400, 1e300})
      for (const double y : {x, -x}) out.push_back(From(y));
    return out;
  }
  /// Around each power of two, and halfway between its neighbours of few digits.
  template <class Integer>
  static std::vector<Integer> integers() {
    using Wide = std::make_unsigned_t<Integer>;
    std::vector<Integer> out;
    constexpr int width = std::numeric_limits<Wide>::digits;
    for (int top = 0; top < width; ++top)
      for (int low = 0; low <= top; ++low)
        for (int more = 0; more <= low; ++more)
          for (const int step : {-1, 0, 1}) {
            const auto x = Wide((std::uint64_t(1) << top) + (std::uint64_t(1) << low) +
                                (std::uint64_t(1) << more) + std::uint64_t(step));
            out.push_back(Integer(x)), out.push_back(Integer(Wide(0 - std::uint64_t(x))));
          }
    return out;
  }
};

#define KRAIT_NARROW_TYPES kr::f8e4m3, kr::f8e5m2, kr::f16, kr::bf16
TYPED_TEST_SUITE(NarrowFloats, testing::Types<KRAIT_NARROW_TYPES>);

TYPED_TEST(NarrowFloats, EveryValueConvertsToEveryType) {
  this->template expect_conversion_to<bool>();
  this->template expect_conversion_to<std::int8_t>();
  this->template expect_conversion_to<std::int16_t>();
  this->template expect_conversion_to<std::int32_t>();
  this->template expect_conversion_to<std::int64_t>();
  this->template expect_conversion_to<std::uint8_t>();
  this->template expect_conversion_to<std::uint16_t>();
  this->template expect_conversion_to<std::uint32_t>();
  this->template expect_conversion_to<std::uint64_t>();
  this->template expect_conversion_to<kr::f8e4m3>();
  this->template expect_conversion_to<kr::f8e5m2>();
  this->template expect_conversion_to<kr::f16>();
  this->template expect_conversion_to<kr::bf16>();
  this->template expect_conversion_to<float>();
  this->template expect_conversion_to<double>();
}

TYPED_TEST(NarrowFloats, EveryBoundaryRoundsToEven) {
  this->template expect_conversion_from<float>(this->template boundaries<float>());
  this->template expect_conversion_from<double>(this->template boundaries<double>());
}

TYPED_TEST(NarrowFloats, IntegersRoundOnce) {
  this->template expect_conversion_from<std::int8_t>(this->template integers<std::int8_t>());
  this->template expect_conversion_from<std::uint8_t>(this->template integers<std::uint8_t>());
  this->template expect_conversion_from<std::int16_t>(this->template integers<std::int16_t>());
  this->template expect_conversion_from<std::uint16_t>(this->template integers<std::uint16_t>());
  this->template expect_conversion_from<std::int32_t>(this->template integers<std::int32_t>());
  this->template expect_conversion_from<std::uint32_t>(this->template integers<std::uint32_t>());
  this->template expect_conversion_from<std::int64_t>(this->template integers<std::int64_t>());
  this->template expect_conversion_from<std::uint64_t>(this->template integers<std::uint64_t>());
}

/// To nearest by definition, against the neighbours in f64, which holds every value and midpoint.
TEST(Bf16, MidpointsGoToTheEvenNeighbour) {
  for (unsigned bits = 0; bits < 0x7f80; ++bits) {
    const auto x = double(float(kr::bf16::from_bits(std::uint16_t(bits))));
    const double next = bits == 0x7f7f
                            ? 0x1p128
                            : double(float(kr::bf16::from_bits(std::uint16_t(bits + 1)))),
                 middle = (x + next) / 2;
    ASSERT_EQ(x, double(std::bit_cast<float>(std::uint32_t(bits) << 16)));
    ASSERT_EQ(kr::bf16(middle).bits(), bits & 1 ? bits + 1 : bits);
    ASSERT_EQ(kr::bf16(std::nextafter(middle, 0.0)).bits(), bits);
    ASSERT_EQ(kr::bf16(std::nextafter(middle, 0x1p200)).bits(), bits + 1);
    ASSERT_EQ(kr::bf16(-middle).bits(), 0x8000 | (bits & 1 ? bits + 1 : bits));
  }
  EXPECT_EQ(kr::bf16((std::int64_t(1) << 62) + (std::int64_t(1) << 54) + 1).bits(),
            0x5e81);  // above the midpoint by less than f64 holds
  EXPECT_EQ(kr::bf16((std::int64_t(1) << 62) + (std::int64_t(1) << 54)).bits(), 0x5e80);
}

/// Operands at the ends of the range, near one another and of random bits: the lowered operation is
/// the interpreter's, bit by bit.
TEST(Bf16, LoweredArithmeticIsTheInterpreters) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto any = [&]() -> Bits {
    constexpr Bits edges[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x7f7f, 0xff7f,
                              0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x3f80, 0xbf80, 0x3f81, 0x4000};
    switch (random() % 4) {
      case 0: return edges[random() % std::size(edges)];
      case 1: return 0x3f80 + random() % 256 - 128;
      case 2: return (random() & 0x8000) | (random() % 512);
      default: return random() & 0xffff;
    }
  };
  for (const Op op : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max, Op::Copysign, Op::Eq,
                      Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge}) {
    const Scalar to = info(op).rule == Rule::Compare ? Scalar::Bool : Scalar::BF16;
    const Straight both(op, to, Scalar::BF16, 2);
    for (int i = 0; i < 20000; ++i) {
      const Bits x = any(), y = any();
      ASSERT_EQ(both.lowered({x, y}), both.recorded({x, y}))
          << info(op).name << std::hex << ' ' << x << ' ' << y;
    }
  }
  for (const Op op : {Op::Neg, Op::Abs, Op::Sqrt, Op::Floor, Op::Ceil, Op::Trunc, Op::Rint,
                      Op::Isnan, Op::Isinf}) {
    const Straight one(op, info(op).rule == Rule::Test ? Scalar::Bool : Scalar::BF16, Scalar::BF16,
                       1);
    for (Bits x = 0; x < 0x10000; ++x)
      ASSERT_EQ(one.lowered({x}), one.recorded({x})) << info(op).name << std::hex << ' ' << x;
  }
  const Straight fma(Op::Fma, Scalar::BF16, Scalar::BF16, 3);
  for (int i = 0; i < 200000; ++i) {
    const Bits x = any(), y = any();
    // Half of the time an addend near the product, of any sign: what cancels.
    const Bits near = eval(Op::Mul, Scalar::BF16, Scalar::BF16, std::vector{x, y});
    const Bits z =
        random() % 2 ? any() : ((near ^ (random() & 0x8000)) + random() % 5 - 2) & 0xffff;
    ASSERT_EQ(fma.lowered({x, y, z}), fma.recorded({x, y, z}))
        << std::hex << x << ' ' << y << ' ' << z;
    const auto plain = [](Bits b) { return kr::bf16::from_bits(std::uint16_t(b)); };
    ASSERT_EQ(bits_of_plain(kr::fma(plain(x), plain(y), plain(z))), fma.recorded({x, y, z}))
        << std::hex << x << ' ' << y << ' ' << z;
  }
}

/// By the definition of the formats (Open Compute Project, "8-bit floating point specification",
/// 2023): what each number is.
TEST(Float8, EveryNumberIsWhatItsFieldsSay) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const unsigned e4 = bits >> 3 & 15, m3 = bits & 7, e5 = bits >> 2 & 31, m2 = bits & 3;
    const double sign = bits & 0x80 ? -1 : 1;
    const double four =
        sign * (e4 ? std::ldexp(1 + m3 / 8.0, int(e4) - 7) : std::ldexp(m3 / 8.0, -6));
    const double five = sign * (e5 == 31 ? double(INFINITY)
                                : e5     ? std::ldexp(1 + m2 / 4.0, int(e5) - 15)
                                         : std::ldexp(m2 / 4.0, -14));
    const auto x = double(float(kr::f8e4m3::from_bits(std::uint8_t(bits)))),
               y = double(float(kr::f8e5m2::from_bits(std::uint8_t(bits))));
    if ((bits & 0x7f) == 0x7f) EXPECT_TRUE(std::isnan(x));
    else EXPECT_TRUE(x == four && std::signbit(x) == std::signbit(four)) << bits;
    if (e5 == 31 && m2) EXPECT_TRUE(std::isnan(y));
    else EXPECT_TRUE(y == five && std::signbit(y) == std::signbit(five)) << bits;
  }
}

/// To the nearest of all numbers, of two the even one; beyond the last midpoint NaN or infinity, or
/// the largest number.
template <class Float8>
void expect_nearest(unsigned largest, unsigned beyond) {
  const auto number = [](unsigned bits) {
    return double(float(Float8::from_bits(std::uint8_t(bits))));
  };
  const double top = number(largest), last = top + (top - number(largest - 1)) / 2;
  for (unsigned bits = 0; bits <= largest; ++bits) {
    const double x = number(bits), middle = bits == largest ? last : (x + number(bits + 1)) / 2;
    const unsigned above = bits == largest ? beyond : bits + 1, even = bits & 1 ? above : bits,
                   capped = bits == largest ? largest : above;
    ASSERT_EQ(Float8(x).bits(), bits);
    ASSERT_EQ(Float8(middle).bits(), even);
    ASSERT_EQ(Float8(std::nextafter(middle, 0.0)).bits(), bits);
    ASSERT_EQ(Float8(std::nextafter(middle, 1e300)).bits(), above);
    ASSERT_EQ(kr::cast_sat<Float8>(std::nextafter(middle, 1e300)).bits(), capped);
    ASSERT_EQ(kr::cast_sat<Float8>(-std::nextafter(middle, 1e300)).bits(), 0x80 | capped);
  }
  EXPECT_EQ(kr::cast_sat<Float8>(INFINITY).bits(), largest);
  EXPECT_EQ(kr::cast_sat<Float8>(-1e300).bits(), 0x80 | largest);
  EXPECT_TRUE(std::isnan(float(kr::cast_sat<Float8>(NAN))));
  EXPECT_TRUE(std::isnan(float(Float8(NAN))));
  EXPECT_EQ(kr::cast_sat<Float8>(std::int64_t(1) << 62).bits(), largest);
  EXPECT_EQ(kr::cast_sat<Float8>(-7).bits(), Float8(-7).bits());
}
TEST(Float8, ConversionsGoToTheNearest) {
  expect_nearest<kr::f8e4m3>(0x7e, 0x7f);
  expect_nearest<kr::f8e5m2>(0x7b, 0x7c);
}

/// All operands of every operation of the table on one and two of them.
TEST(Float8, LoweredArithmeticIsTheInterpreters) {
  for (const Scalar s : {Scalar::F8E4M3, Scalar::F8E5M2})
    for (unsigned n = 0; n < op_count; ++n) {
      const OpInfo& row = info(Op(n));
      const bool compares = row.rule == Rule::Compare || row.rule == Rule::Test;
      if (row.family != Family::Value || !row.floats || row.arity > 2 ||
          !(compares || row.rule == Rule::Same))
        continue;
      const Straight f(Op(n), compares ? Scalar::Bool : s, s, unsigned(row.arity));
      for (Bits x = 0; x < 256; ++x)
        // a third of them, NaN, infinity and the ends among these
        for (Bits y = 0; y < (row.arity == 2 ? 256 : 1); y += 3) {
          if (row.arity == 2)
            ASSERT_EQ(f.lowered({x, y}), f.recorded({x, y}))
                << row.name << std::hex << ' ' << x << ' ' << y;
          else ASSERT_EQ(f.lowered({x}), f.recorded({x})) << row.name << std::hex << ' ' << x;
        }
    }
}

/// Values of 8-bit floats are only made by bitcast and by the saturating conversion from f32, and
/// only used by bitcast and cast to f32.
bool only_conversions(const Straight& s) {
  const Function& f = s.lowered_;
  const auto small = [&](ValueId v) {
    return is_float(f.type_of(v).scalar) && size_of(f.type_of(v).scalar) == 1;
  };
  for (const InstId i : f.regions[f.body].insts) {
    const Inst& inst = f.insts[i];
    if (!inst.results.empty() && small(inst.results[0])) {
      const bool made =
          inst.op == Op::Bitcast ||
          (inst.op == Op::CastSat && f.type_of(inst.operands[0]).scalar == Scalar::F32);
      if (!made) return false;
    }
    for (const ValueId v : inst.operands)
      if (small(v) && inst.op != Op::Bitcast &&
          !(inst.op == Op::Cast && inst.type.scalar == Scalar::F32))
        return false;
  }
  return std::none_of(f.params().begin(), f.params().end(), small);
}

/// For a target with instructions for the conversions: those to f32 and from it, saturating, are
/// all that is left of the types.
TEST(Float8, ConversionsByInstructionsGiveTheSame) {
  const krait::passes::SmallFloats has{.float8 = true};
  for (const Scalar s : {Scalar::F8E4M3, Scalar::F8E5M2}) {
    for (const Op op : {Op::Cast, Op::CastSat})
      for (const Scalar to : all_scalars) {
        const Straight f(op, to, s, 1, has);
        EXPECT_TRUE(only_conversions(f));
        for (Bits x = 0; x < 256; ++x)
          ASSERT_EQ(canonical(to, f.lowered({x})), f.recorded({x}))
              << info(op).name << ' ' << name_of(to) << std::hex << ' ' << x;
      }
    const Straight sum(Op::Add, s, s, 2, has);
    EXPECT_TRUE(only_conversions(sum));
    for (Bits x = 0; x < 256; ++x)
      for (Bits y = 0; y < 256; ++y)
        ASSERT_EQ(sum.lowered({x, y}), sum.recorded({x, y})) << std::hex << x << ' ' << y;
    const Straight cast(Op::Cast, s, Scalar::F32, 1, has),
        inside(Op::CastSat, s, Scalar::F32, 1, has), wide(Op::Cast, s, Scalar::F64, 1, has);
    const auto number = [&](Bits bits) {
      return std::bit_cast<double>(eval(Op::Cast, Scalar::F64, s, std::array{bits}));
    };
    const Bits largest = largest_finite(s);
    for (Bits bits = 0; bits <= largest; ++bits) {
      const double step = bits == largest ? number(bits) - number(bits - 1)
                                          : number(bits + 1) - number(bits),
                   middle = number(bits) + step / 2;
      for (const double at :
           {number(bits), middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300),
            3 * middle, double(INFINITY), double(NAN)})
        for (const double x : {at, -at, double(std::nextafter(float(at), 0.0f)),
                               double(std::nextafter(float(at), 1e30f))}) {
          const Bits single = std::bit_cast<std::uint32_t>(float(x)),
                     twice = std::bit_cast<std::uint64_t>(x);
          ASSERT_EQ(cast.lowered({single}), cast.recorded({single})) << x;
          ASSERT_EQ(inside.lowered({single}), inside.recorded({single})) << x;
          ASSERT_EQ(wide.lowered({twice}), wide.recorded({twice})) << x;
        }
    }
  }
}

TEST(Float8, ArithmeticIsFloats) {
  static_assert(sizeof(kr::f8e4m3) == 1 && sizeof(kr::f8e5m2) == 1);
  static_assert(std::is_same_v<decltype(kr::f8e4m3() + kr::f8e4m3()), float>);
  static_assert(std::is_same_v<decltype(kr::f8e4m3() * 2), float>);
  static_assert(std::is_same_v<decltype(kr::f8e4m3() - kr::f16()), float>);
  static_assert(std::is_same_v<decltype(kr::f8e5m2() / 2.0), double>);
  static_assert(std::is_same_v<decltype(-kr::f8e5m2()), float>);
  static_assert(std::is_same_v<decltype(kr::sqrt(kr::f8e5m2())), float>);
  static_assert(std::is_same_v<decltype(kr::max(kr::f8e5m2(), kr::f8e5m2())), kr::f8e5m2>);
  EXPECT_EQ(kr::f8e4m3(400) + kr::f8e4m3(400), 768.0f);  // 400 is between 384 and 416: the even one
}

}  // namespace
