// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point formats of 16 bits and fewer on the host: conversions in integer arithmetic, each
// with one rounding to nearest even, whatever the floating-point environment. A NaN becomes the
// canonical quiet NaN.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "ir/types.h"

namespace krait::ir {

/// A number of a type of the table, by its bits.
template <Scalar type>
struct Narrow {
  static constexpr int fraction = int(info(type).fraction),
                       bias = (1 << (info(type).exponent - 1)) - 1;
  // exponent of the smallest subnormal
  static constexpr int least = 1 - bias - fraction;
  static constexpr int most = bias + (has_infinity(type) ? 0 : 1);  // of the largest finite number
  static constexpr std::uint16_t sign = 1u << (bits_of(type) - 1);
  static constexpr std::uint16_t largest = std::uint16_t(largest_finite(type)),
                                 nan = std::uint16_t(canonical_nan(type));
  static constexpr std::uint16_t beyond = largest + 1;  // infinity, or NaN where there is none

  std::uint16_t bits = 0;

  constexpr std::uint16_t magnitude() const { return bits & (sign - 1); }
  constexpr bool is_nan() const { return krait::ir::is_nan(type, bits); }
  constexpr bool is_infinite() const { return has_infinity(type) && magnitude() == beyond; }
  friend constexpr bool operator==(Narrow, Narrow) = default;
};

template <class T>
inline constexpr bool is_narrow = false;
template <Scalar type>
inline constexpr bool is_narrow<Narrow<type>> = true;
template <class T>
concept NarrowFloat = is_narrow<T>;

/// ±significand · 2^exponent, rounded once.
template <NarrowFloat To>
constexpr To round_to(bool negative, std::uint64_t significand, int exponent) {
  const std::uint16_t sign = negative ? To::sign : 0;
  if (significand == 0) return {sign};
  const int top = exponent + int(std::bit_width(significand)) - 1;  // floor(log2)
  if (top > To::most) return {std::uint16_t(sign | To::beyond)};
  const int quantum =
      // exponent of the last place of the result
      top - To::fraction > To::least ? top - To::fraction : To::least;
  const int drop = quantum - exponent;
  std::uint64_t kept = 0;
  if (drop <= 0) {
    kept = significand << -drop;
  } else if (drop <= 64) {
    const std::uint64_t half = std::uint64_t(1) << (drop - 1);
    const std::uint64_t rest = drop == 64 ? significand : significand & ((half << 1) - 1);
    kept = drop == 64 ? 0 : significand >> drop;
    if (rest > half || (rest == half && (kept & 1))) ++kept;
  }
  // A normal number's leading bit, and a carry out of the significand, both land in the exponent
  // field by this sum.
  const std::uint64_t magnitude = (std::uint64_t(quantum - To::least) << To::fraction) + kept;
  return {std::uint16_t(sign | (magnitude > To::largest ? To::beyond : magnitude))};
}

template <NarrowFloat To>
constexpr To narrow(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const bool negative = bits >> 63;
  const int exponent = int(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0xfffffffffffff;
  if (exponent == 0x7ff)
    return {fraction ? To::nan : std::uint16_t((negative ? To::sign : 0) | To::beyond)};
  if (exponent == 0) return round_to<To>(negative, fraction, -1074);
  return round_to<To>(negative, fraction | std::uint64_t(1) << 52, exponent - 1075);
}
template <NarrowFloat To>
constexpr To narrow(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const bool negative = bits >> 31;
  const int exponent = int(bits >> 23 & 0xff);
  const std::uint32_t fraction = bits & 0x7fffff;
  if (exponent == 0xff)
    return {fraction ? To::nan : std::uint16_t((negative ? To::sign : 0) | To::beyond)};
  if (exponent == 0) return round_to<To>(negative, fraction, -149);
  return round_to<To>(negative, fraction | 0x800000u, exponent - 150);
}
template <NarrowFloat To, std::integral From>
constexpr To narrow(From x) {
  const bool negative = x < From(1) && x != From(0);
  return round_to<To>(negative, negative ? 0 - std::uint64_t(x) : std::uint64_t(x), 0);
}

/// Exact.
template <NarrowFloat From>
constexpr double to_double(From x) {
  const std::uint64_t sign = x.bits & From::sign ? std::uint64_t(1) << 63 : 0;
  const int exponent = x.magnitude() >> From::fraction;
  const std::uint64_t fraction = x.bits & ((1u << From::fraction) - 1);
  if (x.is_nan()) return std::bit_cast<double>(0x7ff8000000000000);
  if (x.is_infinite()) return std::bit_cast<double>(sign | 0x7ff0000000000000);
  if (exponent != 0)
    return std::bit_cast<double>(sign | std::uint64_t(exponent + 1023 - From::bias) << 52 |
                                 fraction << (52 - From::fraction));
  if (fraction == 0) return std::bit_cast<double>(sign);
  const int top = int(std::bit_width(fraction)) - 1;
  return std::bit_cast<double>(sign | std::uint64_t(top + 1023 + From::least) << 52 |
                               (fraction << (52 - top) & 0xfffffffffffff));
}

}  // namespace krait::ir
