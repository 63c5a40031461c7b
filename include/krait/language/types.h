// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar types of kernels: C++'s arithmetic types and narrow floats, and the result types of
// their operations.
#pragma once

#include <cstdint>
#include <type_traits>

#include <krait/detail/emit.h>
#include <krait/detail/narrow_float.h>

namespace krait {

/// IEEE binary16: a half-precision number of two bytes.
/// Two f16 give an f16, rounded once; an f16 and an integer give an f16; an f16 and a float or
/// double give that type. On the host it converts to and from float.
/// \code
/// kr::array<kr::f16> x = kr::full({16}, kr::f16(1.5f));
/// \endcode
class f16 : public detail::narrow_number<f16, 5, 10> {
 public:
  constexpr f16() = default;
  /// Rounds to nearest, ties to even.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr explicit f16(Number x) : narrow_number(x, 0) {}
};

/// bfloat16: the upper half of a float, in two bytes.
/// Arithmetic follows the rules of kr::f16. Arithmetic with another narrow float gives float.
class bf16 : public detail::narrow_number<bf16, 8, 7> {
 public:
  constexpr bf16() = default;
  /// Rounds to nearest, ties to even.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr explicit bf16(Number x) : narrow_number(x, 0) {}
};

/// A float of 8 bits for storage, in the Open Compute Project's format E4M3.
/// It has 4 exponent bits, numbers up to 448, NaN, and no infinity. Arithmetic gives float.
/// Conversions round to nearest, ties to even. Larger numbers become NaN; with kr::cast_sat they
/// become 448.
class f8e4m3 : public detail::narrow_float<f8e4m3, 4, 3, true> {
 public:
  constexpr f8e4m3() = default;
  /// Rounds to nearest, ties to even.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr explicit f8e4m3(Number x) : narrow_float(x, 0) {}
};

/// A float of 8 bits for storage, in the Open Compute Project's format E5M2.
/// It has 5 exponent bits, numbers up to 57344, and infinities and NaN as kr::f16 has. Arithmetic
/// gives float. Conversions round to nearest, ties to even.
class f8e5m2 : public detail::narrow_float<f8e5m2, 5, 2> {
 public:
  constexpr f8e5m2() = default;
  /// Rounds to nearest, ties to even.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr explicit f8e5m2(Number x) : narrow_float(x, 0) {}
};

namespace detail {

/// One of the floats below 32 bits, and the scalar that it is.
template <class Type>
inline constexpr scalar narrow_scalar = scalar::none;
template <>
inline constexpr scalar narrow_scalar<f16> = scalar::f16;
template <>
inline constexpr scalar narrow_scalar<bf16> = scalar::bf16;
template <>
inline constexpr scalar narrow_scalar<f8e4m3> = scalar::f8e4m3;
template <>
inline constexpr scalar narrow_scalar<f8e5m2> = scalar::f8e5m2;
template <class Type>
inline constexpr bool is_narrow_v = narrow_scalar<Type> != scalar::none;

/// An ordinary C++ value that kernels know: an arithmetic type except long double, a narrow float,
/// or an enumeration.
template <class Type>
concept plain =
    (std::is_arithmetic_v<Type> && sizeof(Type) <= 8) || is_narrow_v<Type> || std::is_enum_v<Type>;
template <class Type>
concept plain_integer = std::is_integral_v<Type> && plain<Type>;
/// A std::complex: its header costs more than the rest.
template <class Type>
concept complex_number =
    std::is_class_v<Type> && requires(const Type& z, typename Type::value_type x) {
      z.real(), z.imag(), Type(x, x);
      requires sizeof(Type) == 2 * sizeof(x);
    };

/// A number of the host that is read where it is used: an element of an array,
/// krait/array_element.h.
template <class Type>
concept unread_number = requires { typename Type::number_type; };
template <class Type>
struct number_on_host : std::type_identity<Type> {};
template <unread_number Type>
struct number_on_host<Type> : std::type_identity<typename Type::number_type> {};
/// The type of the number that an object of the host is, or reads as.
template <class Type>
using number_t = typename number_on_host<std::remove_cvref_t<Type>>::type;
/// A number on the host, as indices, bounds of ranges, extents and functions take it.
template <class Type>
concept host_number = plain<number_t<Type>>;
/// The same, or a complex one.
template <class Type>
concept any_host_number = host_number<Type> || complex_number<number_t<Type>>;
template <class Type>
concept host_integer = std::is_integral_v<number_t<Type>>;
/// Any object; of a number that is not yet read, the number.
template <class Type>
constexpr number_t<Type> as_number(const Type& x) {
  return x;
}

template <class Type>
inline constexpr bool is_float_v = std::is_floating_point_v<Type> || is_narrow_v<Type>;

template <class Type>
constexpr scalar find_scalar() {
  static_assert(
      plain<Type>,
      "krait: kernels support the arithmetic types except long double, enumerations, kr::f16, "
      "kr::bf16, kr::f8e4m3 and kr::f8e5m2");
  if constexpr (std::is_enum_v<Type>) return find_scalar<std::underlying_type_t<Type>>();
  else if constexpr (std::is_same_v<Type, bool>) return scalar::boolean;
  else if constexpr (is_narrow_v<Type>) return narrow_scalar<Type>;
  else if constexpr (std::is_floating_point_v<Type>)
    return sizeof(Type) == 4 ? scalar::f32 : scalar::f64;
  else if constexpr (std::is_signed_v<Type>)
    return sizeof(Type) == 1   ? scalar::i8
           : sizeof(Type) == 2 ? scalar::i16
           : sizeof(Type) == 4 ? scalar::i32
                               : scalar::i64;
  else
    return sizeof(Type) == 1   ? scalar::u8
           : sizeof(Type) == 2 ? scalar::u16
           : sizeof(Type) == 4 ? scalar::u32
                               : scalar::u64;
}
template <class Type>
inline constexpr scalar scalar_of = find_scalar<Type>();

/// The type that arithmetic on a Left and a Right has in C++: promotion and the usual arithmetic
/// conversions.
template <class Left, class Right>
struct arithmetic {
  static_assert(std::is_convertible_v<Left, double> && std::is_convertible_v<Right, double>,
                "krait: a scoped enumeration has no arithmetic: convert it with kr::cast<int>(v)");
  using type = int;
};
template <class Type>
struct promoted {
  using type = Type;
};
template <class Type>
  requires(std::is_enum_v<Type> && std::is_convertible_v<Type, int>)
struct promoted<Type> {
  using type = decltype(+Type());
};
template <class Type>
using promoted_t = typename promoted<Type>::type;
template <class Left, class Right>
  requires requires { promoted_t<Left>() + promoted_t<Right>(); }
struct arithmetic<Left, Right> {
  using type = decltype(promoted_t<Left>() + promoted_t<Right>());
};
template <class Left, class Right>
using arith_t = typename arithmetic<Left, Right>::type;
template <class Type>
using promote_t = decltype(+Type());
/// Of `c ? x : y`: no promotion where both have one type.
template <class Left, class Right>
struct choice {
  using type = arith_t<Left, Right>;
};
template <class Type>
struct choice<Type, Type> {
  using type = Type;
};
template <class Left, class Right>
using choice_t = typename choice<Left, Right>::type;
/// The type in which a floating-point function of a Type is computed: integers as double, floats of
/// 8 bits as float.
template <class Type>
struct real {
  using type = double;
};
template <class Type>
  requires is_float_v<Type>
struct real<Type> {
  using type = promote_t<Type>;
};
template <class Type>
using real_t = typename real<Type>::type;
template <class Left, class Right>
using real2_t = real_t<arith_t<Left, Right>>;

/// From keeps its value as To, or is an integer that C++ programs convert as a matter of course:
/// the conversion may be implicit.
template <class From, class To>
inline constexpr bool widens =
    std::is_same_v<From, To> || std::is_same_v<From, bool> ||
    (std::is_integral_v<From> &&
     (is_float_v<To> || (!std::is_same_v<To, bool> && sizeof(From) <= sizeof(To)))) ||
    (std::is_enum_v<From> && std::is_convertible_v<From, To>) ||
    (is_float_v<From> && is_float_v<To> && sizeof(From) < sizeof(To));

/// The bits of a plain value, zero-extended.
template <plain Type>
constexpr std::uint64_t bits_of(Type x) {
  if constexpr (is_narrow_v<Type>) return x.bits();
  else if constexpr (std::is_same_v<Type, float>) return __builtin_bit_cast(std::uint32_t, x);
  else if constexpr (std::is_same_v<Type, double>) return __builtin_bit_cast(std::uint64_t, x);
  else if constexpr (std::is_same_v<Type, bool>) return x;
  else if constexpr (std::is_enum_v<Type>)
    return bits_of(static_cast<std::underlying_type_t<Type>>(x));
  else return static_cast<std::make_unsigned_t<Type>>(x);
}
template <plain Type>
constexpr Type from_bits(std::uint64_t bits) {
  if constexpr (is_narrow_v<Type>)
    return Type::from_bits(static_cast<typename Type::storage>(bits));
  else if constexpr (std::is_same_v<Type, float>)
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<Type, double>) return __builtin_bit_cast(double, bits);
  else return static_cast<Type>(bits);
}

/// By the bits, so that -ffast-math does not drop the test.
template <class Float>
  requires is_float_v<Float>
constexpr bool is_nan(Float x) {
  if constexpr (is_narrow_v<Float>) {
    return is_nan(float(x));
  } else {
    const std::uint64_t shifted = bits_of(x) << (64 - 8 * sizeof(Float)) << 1;  // without the sign
    return shifted > (sizeof(Float) == 4 ? 0xffull << 56 : 0xffeull << 52);
  }
}

/// kr::cast on plain values: as the device converts, float to integer saturates and NaN is 0.
template <plain To, plain From>
constexpr To convert_plain(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return static_cast<double>(x) != 0;
  } else if constexpr (std::is_integral_v<To> && is_float_v<From>) {
    constexpr int width = static_cast<int>(sizeof(To)) * 8 - std::is_signed_v<To>;
    // One above the largest.
    constexpr double limit =
        width == 64 ? 0x1p64 : static_cast<double>(std::uint64_t{1} << (width % 64));
    constexpr To largest = static_cast<To>(~std::uint64_t{0} >> (64 - width)),
                 smallest = static_cast<To>(~largest);
    const auto wide = static_cast<double>(x);
    if (is_nan(wide)) return To{};
    if (wide >= limit) return largest;
    return wide <= (std::is_signed_v<To> ? -limit : 0.0) ? smallest : static_cast<To>(wide);
  } else if constexpr (is_narrow_v<To> && is_narrow_v<From>) {
    return static_cast<To>(float(x));
  } else {
    return static_cast<To>(x);
  }
}

/// kr::cast_sat on plain values.
template <plain To, plain From>
constexpr To convert_plain_saturating(From x) {
  const To y = convert_plain<To>(x);
  if constexpr (is_float_v<To>) {
    constexpr double infinity = __builtin_huge_val();
    const auto given = static_cast<double>(x), made = static_cast<double>(y);
    if (!is_nan(given) && (is_nan(made) || made == infinity || made == -infinity)) {
      // One below infinity, or below the NaN in its place.
      const std::uint64_t beyond = bits_of(convert_plain<To>(infinity)),
                          sign = given < 0 ? std::uint64_t{1} << (8 * sizeof(To) - 1) : 0;
      return from_bits<To>((beyond - 1) | sign);
    }
  }
  return y;
}

template <class... Types>
inline constexpr bool always_false = false;

}  // namespace detail
}  // namespace krait
