// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every pure operation computes, over the C++ type of its operand: `compute`. eval.cpp makes a
// loop over lanes of each row of KRAIT_VALUE; folding and the interpreter both run those loops, so
// an operation has one meaning. Every operation is total: it has a result for all operand bits,
// hence may run in lanes whose result nobody reads.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ir/ir.h"
#include "ir/narrow_float.h"

namespace krait::ir::semantics {

using Bits = std::uint64_t;
__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Float = std::floating_point<T>;
template <class T>
concept AnyFloat = Float<T> || NarrowFloat<T>;

/// The C++ type that computes like a type of the table.
template <Scalar s>
constexpr auto host_type() {
  constexpr unsigned bits = bits_of(s);
  if constexpr (s == Scalar::Bool) return std::type_identity<bool>();
  else if constexpr (s == Scalar::F64) return std::type_identity<double>();
  else if constexpr (s == Scalar::F32) return std::type_identity<float>();
  else if constexpr (is_float(s)) return std::type_identity<Narrow<s>>();
  else {
    using Signed = std::conditional_t<
        bits == 8, std::int8_t,
        std::conditional_t<bits == 16, std::int16_t,
                           std::conditional_t<bits == 32, std::int32_t, std::int64_t>>>;
    return std::type_identity<
        std::conditional_t<is_signed_int(s), Signed, std::make_unsigned_t<Signed>>>();
  }
}
template <Scalar s>
using HostType = typename decltype(host_type<s>())::type;

// ---- values and their bits ----------------------------------------------------------------------

template <class T>
constexpr T from_bits(Bits b) {
  if constexpr (std::same_as<T, bool>) return b != 0;
  else if constexpr (NarrowFloat<T>) return {std::uint16_t(b)};
  else if constexpr (std::same_as<T, float>) return std::bit_cast<float>(std::uint32_t(b));
  else if constexpr (std::same_as<T, double>) return std::bit_cast<double>(b);
  else return static_cast<T>(b);
}

template <class T>
constexpr bool is_nan(T x) {
  if constexpr (NarrowFloat<T>) return x.is_nan();
  else if constexpr (std::same_as<T, float>)
    return (std::bit_cast<std::uint32_t>(x) & 0x7fffffff) > 0x7f800000;
  else if constexpr (std::same_as<T, double>)
    return (std::bit_cast<std::uint64_t>(x) << 1) > 0xffe0000000000000;
  else return false;
}

template <class T>
constexpr bool is_infinite(T x) {
  if constexpr (NarrowFloat<T>) return x.is_infinite();
  else if constexpr (std::same_as<T, float>)
    return (std::bit_cast<std::uint32_t>(x) & 0x7fffffff) == 0x7f800000;
  else return (std::bit_cast<std::uint64_t>(x) << 1) == 0xffe0000000000000;
}

/// Zero-extended; a NaN becomes the canonical quiet one.
template <class T>
constexpr Bits to_bits(T x) {
  if constexpr (std::same_as<T, bool>) return x;
  else if constexpr (NarrowFloat<T>) return is_nan(x) ? T::nan : x.bits;
  else if constexpr (std::same_as<T, float>)
    return is_nan(x) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(x);
  else if constexpr (std::same_as<T, double>)
    return is_nan(x) ? 0x7ff8000000000000 : std::bit_cast<std::uint64_t>(x);
  else return static_cast<std::make_unsigned_t<T>>(x);
}

template <class T>
constexpr bool negative(T x) {
  if constexpr (std::same_as<T, float>) return std::bit_cast<std::uint32_t>(x) >> 31;
  else if constexpr (std::same_as<T, double>) return std::bit_cast<std::uint64_t>(x) >> 63;
  else return x < T{};
}

// ---- integers -----------------------------------------------------------------------------------

template <Integer T>
using Unsigned = std::make_unsigned_t<T>;
template <Integer T>
inline constexpr int width_of = std::numeric_limits<Unsigned<T>>::digits;

template <Op op, Integer T>
constexpr T unary_integer(T x) {
  using U = Unsigned<T>;
  const U u = static_cast<U>(x);
  if constexpr (op == Op::Neg) return static_cast<T>(U(0) - u);
  else if constexpr (op == Op::Abs) return x < T(0) ? static_cast<T>(U(0) - u) : x;
  else if constexpr (op == Op::Not) return static_cast<T>(U(~u));
  else if constexpr (op == Op::Bitrev) {
    U r = 0;
    for (int i = 0; i < width_of<T>; ++i) r = U(r | (U(u >> i & 1u) << (width_of<T> - 1 - i)));
    return static_cast<T>(r);
  } else {
    static_assert(op == Op::Bswap);
    U r = 0;
    for (int i = 0; i < width_of<T>; i += 8)
      r = U(r | (U(u >> i & 0xffu) << (width_of<T> - 8 - i)));
    return static_cast<T>(r);
  }
}

template <Integer T>
constexpr T multiply_high(T x, T y) {
  if constexpr (width_of<T> < 64) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>((Wide(x) * Wide(y)) >> width_of<T>);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, Int128, Uint128>;
    return static_cast<T>((Wide(x) * Wide(y)) >> 64);
  }
}

template <Op op, Integer T>
constexpr T divide(T x, T y) {
  if (y == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (y == T(-1)) return op == Op::Div ? static_cast<T>(Unsigned<T>(0) - Unsigned<T>(x)) : T(0);
  }
  return static_cast<T>(op == Op::Div ? x / y : x % y);
}

template <Op op, Integer T>
constexpr T saturating(T x, T y) {
  using Limits = std::numeric_limits<T>;
  T result{};
  const bool overflow = op == Op::AddSat ? __builtin_add_overflow(x, y, &result)
                                         : __builtin_sub_overflow(x, y, &result);
  if (!overflow) return result;
  if constexpr (std::is_signed_v<T>) return x < 0 ? Limits::min() : Limits::max();
  else return op == Op::AddSat ? Limits::max() : Limits::min();
}

template <Integer T>
constexpr T byte_permute(T x, T y, T selector) {
  constexpr unsigned size = sizeof(T);
  const Bits words[] = {Bits(static_cast<Unsigned<T>>(x)), Bits(static_cast<Unsigned<T>>(y))};
  Bits result = 0;
  for (unsigned i = 0; i < size; ++i) {
    const auto from = unsigned(Bits(selector) >> (4 * i)) % (2 * size);
    result |= (words[from / size] >> (from % size * 8) & 0xff) << (8 * i);
  }
  return static_cast<T>(result);
}

template <Op op, Integer T>
constexpr T dot_bytes(T x, T y, T z) {
  const auto byte = [](T word, unsigned i, bool is_signed) {
    const auto bits = static_cast<std::uint8_t>(Bits(static_cast<Unsigned<T>>(word)) >> (8 * i));
    return is_signed ? std::int32_t(std::int8_t(bits)) : std::int32_t(bits);
  };
  Bits sum = Bits(static_cast<Unsigned<T>>(z));
  for (unsigned i = 0; i < sizeof(T); ++i)
    sum += Bits(std::int64_t(byte(x, i, op == Op::DotBytes && std::is_signed_v<T>)) *
                byte(y, i, op == Op::DotMixed || std::is_signed_v<T>));
  return static_cast<T>(sum);
}

template <Op op, Integer T>
constexpr T binary_integer(T x, T y) {
  // At least 32 bits wide, so that 16-bit factors are not promoted to a signed int whose product
  // overflows.
  using U = std::common_type_t<Unsigned<T>, std::uint32_t>;
  const U u = static_cast<U>(x), v = static_cast<U>(y);
  if constexpr (op == Op::Add) return static_cast<T>(u + v);
  else if constexpr (op == Op::Sub) return static_cast<T>(u - v);
  else if constexpr (op == Op::Mul) return static_cast<T>(u * v);
  else if constexpr (op == Op::Div || op == Op::Rem) return divide<op>(x, y);
  else if constexpr (op == Op::Min) return y < x ? y : x;
  else if constexpr (op == Op::Max) return x < y ? y : x;
  else if constexpr (op == Op::And) return static_cast<T>(u & v);
  else if constexpr (op == Op::Or) return static_cast<T>(u | v);
  else if constexpr (op == Op::Xor) return static_cast<T>(u ^ v);
  else if constexpr (op == Op::AddSat || op == Op::SubSat) return saturating<op>(x, y);
  else {
    static_assert(op == Op::MulHi);
    return multiply_high(x, y);
  }
}

/// The count's low bits decide, whatever its type and sign.
template <Op op, Integer T>
constexpr T shift(T x, Bits count) {
  const int n = int(count & (width_of<T> - 1));
  if constexpr (op == Op::Shl) return static_cast<T>(Bits(x) << n);
  else {
    static_assert(op == Op::Shr);
    return static_cast<T>(x >> n);
  }
}

template <Op op, Integer T>
constexpr std::int32_t count_bits(T x) {
  const auto u = static_cast<Unsigned<T>>(x);
  if constexpr (op == Op::Popcount) return std::popcount(u);
  else if constexpr (op == Op::Clz) return std::countl_zero(u);
  else {
    static_assert(op == Op::Ctz);
    return std::countr_zero(u);
  }
}

// ---- floats -------------------------------------------------------------------------------------

template <Op op, Float T>
T unary_float(T x) {
  if constexpr (op == Op::Neg) return -x;
  else if constexpr (op == Op::Abs) return std::fabs(x);
  else if constexpr (op == Op::Sqrt) return std::sqrt(x);
  else if constexpr (op == Op::Floor) return std::floor(x);
  else if constexpr (op == Op::Ceil) return std::ceil(x);
  else if constexpr (op == Op::Trunc) return std::trunc(x);
  else {
    static_assert(op == Op::Rint);
    return std::nearbyint(x);
  }
}

template <Op op, Float T>
T binary_float(T x, T y) {
  if constexpr (op == Op::Add) return x + y;
  else if constexpr (op == Op::Sub) return x - y;
  else if constexpr (op == Op::Mul) return x * y;
  else if constexpr (op == Op::Div) return x / y;
  else if constexpr (op == Op::Copysign) return std::copysign(x, y);
  else {
    static_assert(op == Op::Min || op == Op::Max);
    if (is_nan(x)) return y;
    if (is_nan(y)) return x;
    if (x == y) return negative(x) == (op == Op::Min) ? x : y;  // decides between the zeros
    return (x < y) == (op == Op::Min) ? x : y;
  }
}

// An operation on a narrow float of p bits, at most 11, is the f64 operation rounded once more, and
// that is the correctly rounded result:
// - products of two are exact in f64 (22 bits at most); sums of f16 are (they span at most 41
//   bits), and where one of bf16 is not, the smaller term is far below a quarter of the larger's
//   last place, so both roundings give the larger;
// - quotients and roots: 53 ≥ 2·p + 2 digits make the second rounding innocuous (Figueroa, "When is
//   double rounding innocuous?", 1995); the same argument with fewer kept digits covers subnormal
//   quotients;
// - x·y + z: the product is exact, and the sum is rounded to odd. Of f16 a plain sum would do: let
//   2^p and 2^s be the leading bits of product and z. If p ≥ 17 the sum overflows f16 in f64 too, as
//   |z| < 2^16. Else the sum is exact in f64 whenever its bits span at most 53, that is unless
//   p < s - 30, as a product has 22 bits and z is a multiple of 2^-24. Then the product is far below
//   a quarter of z's last place, f64 keeps z's neighbourhood, and both roundings give z.
// The other operations give a value that the type holds.

template <Op op, class T>
T unary(T x) {
  if constexpr (std::same_as<T, bool>) {
    static_assert(op == Op::Not);
    return !x;
  } else if constexpr (NarrowFloat<T>) {
    return narrow<T>(unary_float<op>(to_double(x)));
  } else if constexpr (Float<T>) {
    return unary_float<op>(x);
  } else {
    return unary_integer<op>(x);
  }
}

template <Op op, class T>
T binary(T x, T y) {
  if constexpr (std::same_as<T, bool>) {
    if constexpr (op == Op::And) return x && y;
    else if constexpr (op == Op::Or) return x || y;
    else {
      static_assert(op == Op::Xor);
      return x != y;
    }
  } else if constexpr (NarrowFloat<T>) {
    // Conversion would drop the sign of a NaN, which f32 and f64 look at.
    if constexpr (op == Op::Copysign) return T{std::uint16_t(x.magnitude() | (y.bits & T::sign))};
    else return narrow<T>(binary_float<op>(to_double(x), to_double(y)));
  } else if constexpr (Float<T>) {
    return binary_float<op>(x, y);
  } else {
    return binary_integer<op>(x, y);
  }
}

/// x + y, and where that is inexact the odd one of its two neighbours in f64: a later rounding to
/// at most 51 bits gives what one rounding of the exact sum gives (Boldo and Melquiond, "Emulation
/// of FMA and correctly rounded sums", 2008).
inline double sum_to_odd(double x, double y) {
  // Knuth's exact error
  const double sum = x + y, part = sum - x, error = (x - (sum - part)) + (y - part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (!(error < 0 || error > 0) || (bits & 1)) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

template <AnyFloat T>
T fused_multiply_add(T x, T y, T z) {
  if constexpr (!NarrowFloat<T>) return std::fma(x, y, z);
  else return narrow<T>(sum_to_odd(to_double(x) * to_double(y), to_double(z)));
}

template <Op op, class T>
constexpr bool compare(T x, T y) {
  if constexpr (NarrowFloat<T>) return compare<op>(to_double(x), to_double(y));
  else if constexpr (op == Op::Eq) return x == y;
  else if constexpr (op == Op::Ne) return x != y;
  else if constexpr (op == Op::Lt) return x < y;
  else if constexpr (op == Op::Le) return x <= y;
  else if constexpr (op == Op::Gt) return x > y;
  else {
    static_assert(op == Op::Ge);
    return x >= y;
  }
}

// ---- by the rules of ops.def: one overload per number of operands -------------------------------

template <Op op, class T>
constexpr auto compute(T x) {
  if constexpr (op == Op::Isnan) return is_nan(x);
  else if constexpr (op == Op::Isinf) return is_infinite(x);
  else if constexpr (info(op).rule == Rule::Count) return count_bits<op>(x);
  else return unary<op>(x);
}
/// A shift's count comes as its bits, whatever its type.
template <Op op, class T, class Other>
constexpr auto compute(T x, Other y) {
  if constexpr (info(op).rule == Rule::Compare) return compare<op>(x, y);
  else if constexpr (info(op).rule == Rule::Shift) return shift<op>(x, y);
  else return binary<op>(x, y);
}
template <Op op, class T>
constexpr T compute(T x, T y, T z) {
  if constexpr (op == Op::Fma) return fused_multiply_add(x, y, z);
  else if constexpr (op == Op::DotBytes || op == Op::DotMixed) return dot_bytes<op>(x, y, z);
  else {
    static_assert(op == Op::BytePermute);
    return byte_permute(x, y, z);
  }
}
/// dot_pairs: of the bits of two bf16 each.
inline float dot_pairs(std::uint32_t x, std::uint32_t y, float z) {
  const auto low = [](std::uint32_t pair) { return std::bit_cast<float>(pair << 16); };
  const auto high = [](std::uint32_t pair) { return std::bit_cast<float>(pair & 0xffff0000); };
  return std::fma(high(x), high(y), std::fma(low(x), low(y), z));
}

// ---- conversion ---------------------------------------------------------------------------------

template <Integer To, Float From>
constexpr To saturate(From x) {
  using Limits = std::numeric_limits<To>;
  // exact: 0 or a power of two
  constexpr From low = static_cast<From>(Limits::min());
  // exact, one above the maximum
  constexpr From high = static_cast<From>(Bits(1) << (Limits::digits - 1)) * From(2);
  if (is_nan(x)) return 0;
  if (x >= high) return Limits::max();
  if (x <= low) return Limits::min();
  return static_cast<To>(x);
}

template <class To, class From>
constexpr To convert(From x) {
  if constexpr (std::same_as<To, From>) return x;
  else if constexpr (NarrowFloat<From>) return convert<To>(to_double(x));
  else if constexpr (std::same_as<To, bool>) return x != From(0);
  else if constexpr (NarrowFloat<To>) return narrow<To>(x);
  else if constexpr (Integer<To> && Float<From>) return saturate<To>(x);
  else return static_cast<To>(x);
}

/// The largest finite number of a float type, with the sign of x.
template <AnyFloat To, Float From>
constexpr To largest_like(From x) {
  constexpr Scalar s = std::same_as<To, float> ? Scalar::F32 : Scalar::F64;
  if constexpr (NarrowFloat<To>) return {std::uint16_t(To::largest | (negative(x) ? To::sign : 0))};
  else return from_bits<To>(largest_finite(s) | (negative(x) ? Bits(1) << (bits_of(s) - 1) : 0));
}

/// The two operations of the rule Convert.
template <Op op, class To, class From>
constexpr To convert_by(From x) {
  const To y = convert<To>(x);
  if constexpr (op == Op::CastSat && AnyFloat<To>) {
    if (!is_nan(x) && (is_nan(y) || is_infinite(y))) return largest_like<To>(convert<double>(x));
  }
  return y;
}

}  // namespace krait::ir::semantics

namespace krait::ir {

/// Computes `out[i]` from `operands[k][i]` for i < lanes. Columns hold bits, zero-extended to 64.
using LaneFunction = void (*)(const std::uint64_t* const* operands, std::uint64_t* out,
                              std::size_t lanes);

/// The loop for an operation that eval knows; null for others and for types that the operation does
/// not have. `operand` is the type of the first operand; select and shift go by the result's.
LaneFunction lane_function(Op op, Scalar result, Scalar operand);

}  // namespace krait::ir
