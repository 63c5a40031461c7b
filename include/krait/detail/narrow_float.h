// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of fewer than 32 bits on the host: their storage, conversions and arithmetic.
#pragma once

#include <cstdint>
#include <type_traits>

#include <krait/detail/cpp20.h>

namespace krait {
namespace detail {

/// The common part of floats below 32 bits: bits of storage, and conversions on the host that round
/// to nearest, ties to even. Numbers: the largest exponent has numbers too, and one NaN in place of
/// infinities and NaNs.
template <class Self, int Exponent, int Fraction, bool Numbers = false>
class narrow_float {
 public:
  /// The unsigned integer type that holds the bits.
  using storage = std::conditional_t<(Exponent + Fraction < 8), std::uint8_t, std::uint16_t>;

  constexpr narrow_float() = default;
  constexpr operator float() const { return widen(bits_); }  // NOLINT: every value is a float

  /// Makes a number from its bits.
  static constexpr Self from_bits(storage bits) {
    Self x;
    x.bits_ = bits;
    return x;
  }
  /// The bits of the number.
  constexpr storage bits() const { return bits_; }

 protected:
  static constexpr std::uint32_t sign_bit = 1u << (Exponent + Fraction);
  template <class Number>
  constexpr explicit narrow_float(Number x, int)
      : bits_(static_cast<storage>(round(in_double(x)))) {}

 private:
  // exponent of the largest number
  static constexpr int bias = (1 << (Exponent - 1)) - 1, most = bias + Numbers;
  static constexpr std::uint32_t beyond =
      // infinity, or NaN if the format has no infinity
      Numbers ? sign_bit - 1 : ((1u << Exponent) - 1) << Fraction;

  /// Where 64 bits are more than a double holds, the lowest bits only say whether they are zero:
  /// the rounding to come sees the same.
  template <class Number>
  static constexpr double in_double(Number x) {
    if constexpr (std::is_integral_v<Number> && sizeof(Number) == 8) {
      if (x >= Number{1} << 53 || (std::is_signed_v<Number> && x < -Number(Number{1} << 53)))
        x = static_cast<Number>((x & ~Number{0x7ff}) | ((x & 0x7ff) ? 0x800 : 0));
    }
    return static_cast<double>(x);
  }
  static constexpr std::uint32_t round(double x) {
    const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, x);
    const std::uint32_t sign = bits >> 63 ? sign_bit : 0;
    const auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    std::uint64_t fraction = bits & 0xfffffffffffff;
    if (exponent == 1024 && fraction && !Numbers)
      return static_cast<std::uint32_t>(sign | beyond | 1 << (Fraction - 1) |
                                        fraction >> (52 - Fraction));
    if (exponent < -bias - Fraction) return sign;
    if (exponent > most) return sign | beyond;
    fraction |= std::uint64_t{1} << 52;
    const bool normal = exponent >= 1 - bias;
    // bits below the last kept one; subnormals keep fewer
    const int drop = 52 - Fraction + (normal ? 0 : 1 - bias - exponent);
    const std::uint64_t half = std::uint64_t{1} << (drop - 1), rest = fraction & (2 * half - 1);
    std::uint64_t kept = fraction >> drop;
    kept += rest > half || (rest == half && (kept & 1));
    // a carry runs into the exponent
    if (normal) kept += static_cast<std::uint64_t>(exponent + bias - 1) << Fraction;
    return sign | (kept > beyond ? beyond : static_cast<std::uint32_t>(kept));
  }
  static constexpr float widen(std::uint32_t bits) {
    const std::uint32_t sign = bits & sign_bit ? 0x80000000 : 0, rest = bits & (sign_bit - 1),
                        shifted = rest << (23 - Fraction);
    if (rest >= beyond) return __builtin_bit_cast(float, sign | 0x7f800000 | (shifted & 0x7fffff));
    constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - bias) << 23;
    if (rest >> Fraction || rebias == 0)
      return __builtin_bit_cast(float, sign | (shifted + rebias));
    // The shifted bits with the exponent of the smallest normal number, less that number.
    const float least = __builtin_bit_cast(float, rebias + (1u << 23));
    const float tiny = __builtin_bit_cast(float, shifted + rebias + (1u << 23)) - least;  // exact
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, tiny) | sign);
  }

  storage bits_ = 0;
};

/// And those whose arithmetic gives them.
template <class Self, int Exponent, int Fraction>
class narrow_number : public narrow_float<Self, Exponent, Fraction> {
  using base = narrow_float<Self, Exponent, Fraction>;

 protected:
  using base::base;

  // float holds more than twice the bits, so rounding its result is the correctly rounded result.
  friend constexpr Self operator+(Self x, Self y) { return Self(float(x) + float(y)); }
  friend constexpr Self operator-(Self x, Self y) { return Self(float(x) - float(y)); }
  friend constexpr Self operator*(Self x, Self y) { return Self(float(x) * float(y)); }
  friend constexpr Self operator/(Self x, Self y) { return Self(float(x) / float(y)); }
  friend constexpr Self operator+(Self x) { return x; }
  friend constexpr Self operator-(Self x) {
    return base::from_bits(static_cast<std::uint16_t>(x.bits() ^ base::sign_bit));
  }
#define KRAIT_WITH_INTEGER(op)                           \
  template <class Integer>                               \
    requires std::is_integral_v<Integer>                 \
  friend constexpr Self operator op(Self x, Integer y) { \
    return x op Self(y);                                 \
  }                                                      \
  template <class Integer>                               \
    requires std::is_integral_v<Integer>                 \
  friend constexpr Self operator op(Integer x, Self y) { \
    return Self(x) op y;                                 \
  }
  KRAIT_WITH_INTEGER(+)
  KRAIT_WITH_INTEGER(-)
  KRAIT_WITH_INTEGER(*)
  KRAIT_WITH_INTEGER(/)
#undef KRAIT_WITH_INTEGER
};

}  // namespace detail
}  // namespace krait
