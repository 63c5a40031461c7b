// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar types of kernels: C++'s arithmetic types and kr::f16, and the types that operations on them have.
#pragma once

#include <cstdint>
#include <type_traits>

#include <krait/detail/emit.h>

namespace krait {

/// IEEE binary16: two bytes of storage with conversions on the host, a type of its own in kernels. Arithmetic of two f16 gives
/// f16 (rounded once), with an integer f16, with float or double their type.
class f16 {
 public:
  constexpr f16() = default;
  /// Rounds to nearest, ties to even.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr explicit f16(Number x) : bits_(round(static_cast<double>(x))) {}
  constexpr operator float() const { return widen(bits_); }  // NOLINT: every f16 is a float

  static constexpr f16 from_bits(std::uint16_t bits) {
    f16 h;
    h.bits_ = bits;
    return h;
  }
  constexpr std::uint16_t bits() const { return bits_; }

 private:
  static constexpr std::uint16_t round(double x) {
    const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, x);
    const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
    const auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    std::uint64_t fraction = bits & 0xfffffffffffff;
    if (exponent == 1024) return static_cast<std::uint16_t>(sign | 0x7c00 | (fraction ? 0x200 | fraction >> 42 : 0));
    if (exponent < -25) return sign;
    if (exponent > 15) return static_cast<std::uint16_t>(sign | 0x7c00);
    fraction |= std::uint64_t{1} << 52;
    const int drop = exponent < -14 ? 28 - exponent : 42;  // bits below the last kept one; subnormals keep fewer
    const std::uint64_t half = std::uint64_t{1} << (drop - 1), rest = fraction & (2 * half - 1);
    std::uint64_t kept = fraction >> drop;
    kept += rest > half || (rest == half && (kept & 1));
    if (exponent >= -14) kept += static_cast<std::uint64_t>(exponent + 14) << 10;  // a carry runs into the exponent
    return static_cast<std::uint16_t>(sign | kept);
  }
  static constexpr float widen(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16, rest = bits & 0x7fff;
    if (rest >= 0x7c00) return __builtin_bit_cast(float, sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest >= 0x400) return __builtin_bit_cast(float, sign | ((rest << 13) + 0x38000000));
    const float tiny = static_cast<float>(rest) * 0x1p-24f;  // exact
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, tiny) | sign);
  }

  std::uint16_t bits_ = 0;

  // float holds more than twice the bits of f16, so rounding its result to f16 is the correctly rounded result.
  friend constexpr f16 operator+(f16 x, f16 y) { return f16(float(x) + float(y)); }
  friend constexpr f16 operator-(f16 x, f16 y) { return f16(float(x) - float(y)); }
  friend constexpr f16 operator*(f16 x, f16 y) { return f16(float(x) * float(y)); }
  friend constexpr f16 operator/(f16 x, f16 y) { return f16(float(x) / float(y)); }
  friend constexpr f16 operator+(f16 x) { return x; }
  friend constexpr f16 operator-(f16 x) { return from_bits(x.bits_ ^ 0x8000); }
};

template <class Integer>
  requires std::is_integral_v<Integer>
constexpr f16 operator+(f16 x, Integer y) { return x + f16(y); }
template <class Integer>
  requires std::is_integral_v<Integer>
constexpr f16 operator+(Integer x, f16 y) { return f16(x) + y; }
template <class Integer>
  requires std::is_integral_v<Integer>
constexpr f16 operator-(f16 x, Integer y) { return x - f16(y); }
template <class Integer>
  requires std::is_integral_v<Integer>
constexpr f16 operator-(Integer x, f16 y) { return f16(x) - y; }
template <class Integer>
  requires std::is_integral_v<Integer>
constexpr f16 operator*(f16 x, Integer y) { return x * f16(y); }
template <class Integer>
  requires std::is_integral_v<Integer>
constexpr f16 operator*(Integer x, f16 y) { return f16(x) * y; }
template <class Integer>
  requires std::is_integral_v<Integer>
constexpr f16 operator/(f16 x, Integer y) { return x / f16(y); }
template <class Integer>
  requires std::is_integral_v<Integer>
constexpr f16 operator/(Integer x, f16 y) { return f16(x) / y; }

namespace detail {

/// An ordinary C++ value that kernels know: an arithmetic type but long double, f16, or an enumeration.
template <class Type>
concept plain = (std::is_arithmetic_v<Type> && sizeof(Type) <= 8) || std::is_same_v<Type, f16> || std::is_enum_v<Type>;
template <class Type>
concept plain_integer = std::is_integral_v<Type> && plain<Type>;

template <class Type>
inline constexpr bool is_float_v = std::is_floating_point_v<Type> || std::is_same_v<Type, f16>;

template <class Type>
constexpr scalar find_scalar() {
  static_assert(plain<Type>, "krait: kernels know the arithmetic types (but long double), enumerations and kr::f16");
  if constexpr (std::is_enum_v<Type>) return find_scalar<std::underlying_type_t<Type>>();
  else if constexpr (std::is_same_v<Type, bool>) return scalar::boolean;
  else if constexpr (std::is_same_v<Type, f16>) return scalar::f16;
  else if constexpr (std::is_floating_point_v<Type>) return sizeof(Type) == 4 ? scalar::f32 : scalar::f64;
  else if constexpr (std::is_signed_v<Type>)
    return sizeof(Type) == 1 ? scalar::i8 : sizeof(Type) == 2 ? scalar::i16 : sizeof(Type) == 4 ? scalar::i32 : scalar::i64;
  else
    return sizeof(Type) == 1 ? scalar::u8 : sizeof(Type) == 2 ? scalar::u16 : sizeof(Type) == 4 ? scalar::u32 : scalar::u64;
}
template <class Type>
inline constexpr scalar scalar_of = find_scalar<Type>();

/// The type that arithmetic on a Left and a Right has in C++: promotion and the usual arithmetic conversions.
template <class Left, class Right>
struct arithmetic {
  static_assert(std::is_convertible_v<Left, double> && std::is_convertible_v<Right, double>,
                "krait: a scoped enumeration has no arithmetic: convert it with kr::cast<int>(v)");
  using type = int;
};
template <class Type>
struct promoted { using type = Type; };
template <class Type>
  requires(std::is_enum_v<Type> && std::is_convertible_v<Type, int>)
struct promoted<Type> { using type = decltype(+Type()); };
template <class Type>
using promoted_t = typename promoted<Type>::type;
template <class Left, class Right>
  requires requires { promoted_t<Left>() + promoted_t<Right>(); }
struct arithmetic<Left, Right> { using type = decltype(promoted_t<Left>() + promoted_t<Right>()); };
template <class Left, class Right>
using arith_t = typename arithmetic<Left, Right>::type;
template <class Type>
using promote_t = decltype(+Type());
/// Of `c ? x : y`: no promotion where both have one type.
template <class Left, class Right>
struct choice { using type = arith_t<Left, Right>; };
template <class Type>
struct choice<Type, Type> { using type = Type; };
template <class Left, class Right>
using choice_t = typename choice<Left, Right>::type;
/// The type in which a floating-point function of a Type is computed: integers as double.
template <class Type>
using real_t = std::conditional_t<is_float_v<Type>, Type, double>;
template <class Left, class Right>
using real2_t = real_t<arith_t<Left, Right>>;

/// From keeps its value as To, or is an integer that C++ programs convert as a matter of course: the conversion may be implicit.
template <class From, class To>
inline constexpr bool widens =
    std::is_same_v<From, To> || std::is_same_v<From, bool> ||
    (std::is_integral_v<From> && (is_float_v<To> || (!std::is_same_v<To, bool> && sizeof(From) <= sizeof(To)))) ||
    (std::is_enum_v<From> && std::is_convertible_v<From, To>) ||
    (is_float_v<From> && is_float_v<To> && sizeof(From) <= sizeof(To));

/// The bits of a plain value, zero-extended.
template <plain Type>
constexpr std::uint64_t bits_of(Type x) {
  if constexpr (std::is_same_v<Type, f16>) return x.bits();
  else if constexpr (std::is_same_v<Type, float>) return __builtin_bit_cast(std::uint32_t, x);
  else if constexpr (std::is_same_v<Type, double>) return __builtin_bit_cast(std::uint64_t, x);
  else if constexpr (std::is_same_v<Type, bool>) return x;
  else if constexpr (std::is_enum_v<Type>) return bits_of(static_cast<std::underlying_type_t<Type>>(x));
  else return static_cast<std::make_unsigned_t<Type>>(x);
}
template <plain Type>
constexpr Type from_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<Type, f16>) return f16::from_bits(static_cast<std::uint16_t>(bits));
  else if constexpr (std::is_same_v<Type, float>) return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<Type, double>) return __builtin_bit_cast(double, bits);
  else return static_cast<Type>(bits);
}

/// By the bits, so that -ffast-math does not drop the test.
template <class Float>
  requires is_float_v<Float>
constexpr bool is_nan(Float x) {
  const std::uint64_t shifted = bits_of(x) << (64 - 8 * sizeof(Float)) << 1;  // without the sign
  const std::uint64_t infinity = sizeof(Float) == 2 ? 0xf8ull << 56 : sizeof(Float) == 4 ? 0xffull << 56 : 0xffeull << 52;
  return shifted > infinity;
}

/// kr::cast on plain values: as the device converts, float to integer saturates and NaN is 0.
template <plain To, plain From>
constexpr To convert_plain(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return static_cast<double>(x) != 0;
  } else if constexpr (std::is_integral_v<To> && is_float_v<From>) {
    constexpr int width = static_cast<int>(sizeof(To)) * 8 - std::is_signed_v<To>;
    // One above the largest.
    constexpr double limit = width == 64 ? 0x1p64 : static_cast<double>(std::uint64_t{1} << (width % 64));
    constexpr To largest = static_cast<To>(~std::uint64_t{0} >> (64 - width)), smallest = static_cast<To>(~largest);
    const auto wide = static_cast<double>(x);
    if (is_nan(wide)) return To{};
    if (wide >= limit) return largest;
    return wide <= (std::is_signed_v<To> ? -limit : 0.0) ? smallest : static_cast<To>(wide);
  } else {
    return static_cast<To>(x);
  }
}

template <class Type>
inline constexpr bool always_false = false;

}  // namespace detail
}  // namespace krait
