// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact functions of floats, and of numbers of any kind, on plain values.
#pragma once

#include <krait/detail/operators.h>

namespace krait::detail {

// The builtins are named once for each type; narrow floats are computed as float.
inline float plain_sqrt(float x) { return __builtin_sqrtf(x); }
inline double plain_sqrt(double x) { return __builtin_sqrt(x); }
inline float plain_floor(float x) { return __builtin_floorf(x); }
inline double plain_floor(double x) { return __builtin_floor(x); }
inline float plain_ceil(float x) { return __builtin_ceilf(x); }
inline double plain_ceil(double x) { return __builtin_ceil(x); }
inline float plain_trunc(float x) { return __builtin_truncf(x); }
inline double plain_trunc(double x) { return __builtin_trunc(x); }
inline float plain_rint(float x) { return __builtin_rintf(x); }
inline double plain_rint(double x) { return __builtin_rint(x); }
inline float plain_fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double plain_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
/// The product is exact in double. The sum is rounded to odd there, so that the rounding to come
/// gives what one rounding would (Boldo and Melquiond, 2008).
template <class Narrow>
  requires is_narrow_v<Narrow>
Narrow plain_fma(Narrow x, Narrow y, Narrow z) {
  const double product = static_cast<double>(x) * static_cast<double>(y),
               other = static_cast<double>(z), sum = product + other;
  const double part = sum - product, error = (product - (sum - part)) + (other - part);
  const auto bits = __builtin_bit_cast(std::uint64_t, sum);
  if (!(error < 0 || error > 0) || (bits & 1)) return Narrow(sum);
  return Narrow(__builtin_bit_cast(double, (error > 0) == (sum > 0) ? bits + 1 : bits - 1));
}

/// x y, rounded by itself. Of plain floats host compilers contract x y + z where the machine has an
/// instruction for it, across functions that they inline; strict mode never does. Neither an
/// attribute nor __builtin_assoc_barrier holds: the first is lost by inlining, the second in loops
/// that g++ 12 vectorises. So the product passes through an empty assembler statement.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"  // operands of two types become one as C++ has it
#pragma GCC diagnostic ignored "-Wsign-conversion"
template <class Left, class Right>
constexpr auto product(const Left& x, const Right& y) {
  auto result = x * y;
  if constexpr (std::is_same_v<decltype(result), float> ||
                std::is_same_v<decltype(result), double>) {
    if (!std::is_constant_evaluated()) {
#if defined(__x86_64__)
      asm("" : "+x"(result));
#elif defined(__aarch64__)
      asm("" : "+w"(result));
#endif
    }
  }
  return result;
}
#pragma GCC diagnostic pop

template <class Type>
constexpr std::uint64_t sign_mask = std::uint64_t{1} << (8 * sizeof(Type) - 1);
template <class Type>
constexpr bool is_negative(Type x) {
  return (bits_of(x) & sign_mask<Type>) != 0;
}
/// minimumNumber of IEEE 754-2019: a NaN loses, -0 < +0.
template <class Type>
constexpr Type plain_min(Type x, Type y) {
  if constexpr (is_float_v<Type>) {
    if (is_nan(x)) return y;
    if (is_nan(y)) return x;
    if (x == y) return is_negative(x) ? x : y;
  }
  return x < y ? x : y;
}
/// maximumNumber of IEEE 754-2019: a NaN loses, -0 < +0.
template <class Type>
constexpr Type plain_max(Type x, Type y) {
  if constexpr (is_float_v<Type>) {
    if (is_nan(x)) return y;
    if (is_nan(y)) return x;
    if (x == y) return is_negative(x) ? y : x;
  }
  return x < y ? y : x;
}
template <class Type>
constexpr Type plain_abs(Type x) {
  if constexpr (is_float_v<Type>) return from_bits<Type>(bits_of(x) & ~sign_mask<Type>);
  else if constexpr (std::is_signed_v<Type>) return x < 0 ? from_bits<Type>(0 - bits_of(x)) : x;
  else return x;
}
template <class Type>
constexpr Type plain_copysign(Type x, Type y) {
  return from_bits<Type>((bits_of(x) & ~sign_mask<Type>) | (bits_of(y) & sign_mask<Type>));
}
template <class Type>
constexpr bool plain_isinf(Type x) {
  return !is_nan(x) && bits_of(plain_abs(x)) == bits_of(static_cast<Type>(__builtin_huge_valf()));
}

}  // namespace krait::detail
