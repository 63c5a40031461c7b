// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IEEE 754 binary16 on the host: conversions in integer arithmetic, each with one rounding to nearest even, whatever the
// floating-point environment. A NaN becomes the canonical quiet NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace krait::ir {

/// A binary16 number by its bits.
struct Half {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(Half, Half) = default;
};

inline constexpr std::uint16_t half_nan = 0x7e00;
inline constexpr std::uint16_t half_infinity = 0x7c00;

/// ±significand · 2^exponent, rounded once.
constexpr Half round_to_half(bool negative, std::uint64_t significand, int exponent) {
  const std::uint16_t sign = negative ? 0x8000 : 0;
  if (significand == 0) return {sign};
  const int top = exponent + int(std::bit_width(significand)) - 1;  // floor(log2)
  if (top > 15) return {std::uint16_t(sign | half_infinity)};
  const int quantum = top - 10 > -24 ? top - 10 : -24;  // exponent of the last place of the result
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
  // A normal number's leading bit, and a carry out of the significand, both land in the exponent field by this sum.
  return {std::uint16_t(sign | (std::uint64_t(quantum + 24) * 1024 + kept))};
}

constexpr Half to_half(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const bool negative = bits >> 63;
  const int exponent = int(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0xfffffffffffff;
  if (exponent == 0x7ff) return {fraction ? half_nan : std::uint16_t(negative ? 0xfc00 : 0x7c00)};
  if (exponent == 0) return round_to_half(negative, fraction, -1074);
  return round_to_half(negative, fraction | std::uint64_t(1) << 52, exponent - 1075);
}

constexpr Half to_half(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const bool negative = bits >> 31;
  const int exponent = int(bits >> 23 & 0xff);
  const std::uint32_t fraction = bits & 0x7fffff;
  if (exponent == 0xff) return {fraction ? half_nan : std::uint16_t(negative ? 0xfc00 : 0x7c00)};
  if (exponent == 0) return round_to_half(negative, fraction, -149);
  return round_to_half(negative, fraction | 0x800000u, exponent - 150);
}

constexpr Half to_half(std::uint64_t x) { return round_to_half(false, x, 0); }
constexpr Half to_half(std::int64_t x) { return round_to_half(x < 0, x < 0 ? 0 - std::uint64_t(x) : std::uint64_t(x), 0); }

/// Exact.
constexpr double to_double(Half x) {
  const std::uint64_t sign = std::uint64_t(x.bits >> 15) << 63;
  const unsigned exponent = x.bits >> 10 & 0x1f;
  const std::uint64_t fraction = x.bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<double>(fraction ? 0x7ff8000000000000 : sign | 0x7ff0000000000000);
  if (exponent != 0) return std::bit_cast<double>(sign | std::uint64_t(exponent + 1008) << 52 | fraction << 42);
  if (fraction == 0) return std::bit_cast<double>(sign);
  const int top = int(std::bit_width(fraction)) - 1;  // a subnormal is fraction · 2^-24
  return std::bit_cast<double>(sign | std::uint64_t(top + 999) << 52 | (fraction << (52 - top) & 0xfffffffffffff));
}

/// Exact.
constexpr float to_float(Half x) {
  const std::uint32_t sign = std::uint32_t(x.bits >> 15) << 31;
  const unsigned exponent = x.bits >> 10 & 0x1f;
  const std::uint32_t fraction = x.bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(fraction ? 0x7fc00000 : sign | 0x7f800000);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  if (fraction == 0) return std::bit_cast<float>(sign);
  const int top = int(std::bit_width(fraction)) - 1;
  return std::bit_cast<float>(sign | std::uint32_t(top + 103) << 23 | (fraction << (23 - top) & 0x7fffff));
}

}  // namespace krait::ir
