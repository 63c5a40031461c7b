// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words in which the mathematical functions are written. A body is a template over Real, which
// is float or double (the plain overloads, the accuracy tests) or a traced value of one of them
// (the IR bodies); here are the words for plain numbers. traced.h has them for traced values. All
// is IEEE: every function fuses exactly where it says fma, and nowhere else.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

namespace krait::math {

/// The types that belong to a Real: its plain scalar, integers of its size, a truth value, a
/// mutable local.
template <class Real>
struct Types;
template <>
struct Types<float> {
  using Scalar = float;
  using Int = std::int32_t;
  using Unsigned = std::uint32_t;
  using Bool = bool;
  template <class T>
  using Var = T;
};
template <>
struct Types<double> {
  using Scalar = double;
  using Int = std::int64_t;
  using Unsigned = std::uint64_t;
  using Bool = bool;
  template <class T>
  using Var = T;
};

template <class Real>
using Scalar = typename Types<Real>::Scalar;
template <class Real>
using Int = typename Types<Real>::Int;  // as wide as Real
template <class Real>
using Unsigned = typename Types<Real>::Unsigned;  // as wide as Real
template <class Real>
using Bool = typename Types<Real>::Bool;
template <class Real>
using Var = typename Types<Real>::template Var<Real>;
template <class Real>
using VarUnsigned = typename Types<Real>::template Var<Unsigned<Real>>;
template <class Real>
using PlainInt = std::conditional_t<sizeof(Scalar<Real>) == 4, std::int32_t, std::int64_t>;
template <class Real>
using PlainUnsigned = std::make_unsigned_t<PlainInt<Real>>;
template <class Real>
inline constexpr bool is_single = sizeof(Scalar<Real>) == 4;

template <class T>
concept Plain = std::is_arithmetic_v<T>;

/// Facts of the binary format.
template <class Real>
struct Format {
  using F = Scalar<Real>;
  using U = PlainUnsigned<Real>;
  static constexpr int mantissa = std::numeric_limits<F>::digits - 1;  // bits stored: 23 or 52
  static constexpr int bias = std::numeric_limits<F>::max_exponent - 1;
  static constexpr U sign = U(1) << (sizeof(F) * 8 - 1);
  static constexpr U infinity = std::bit_cast<U>(std::numeric_limits<F>::infinity());
  static constexpr U smallest_normal = U(1) << mantissa;
  static constexpr U one = U(bias) << mantissa;
  static constexpr U mantissa_mask = smallest_normal - 1;
  /// Added to a number below 2^(mantissa - 1) in size it leaves the nearest integer in the low
  /// bits.
  static constexpr F magic = F(U(3) << (mantissa - 1));
};

// ---- words for plain numbers --------------------------------------------------------------------
template <std::floating_point T>
T fma(T x, std::type_identity_t<T> y, std::type_identity_t<T> z) {
  return std::fma(x, y, z);
}
template <std::floating_point T>
T sqrt(T x) {
  return std::sqrt(x);
}
template <std::floating_point T>
T abs(T x) {
  return std::fabs(x);
}
template <std::floating_point T>
T floor(T x) {
  return std::floor(x);
}
template <std::floating_point T>
T trunc(T x) {
  return std::trunc(x);
}
template <std::floating_point T>
T rint(T x) {
  return std::nearbyint(x);
}
template <std::floating_point T>
T copysign(T x, std::type_identity_t<T> y) {
  return std::copysign(x, y);
}
template <std::floating_point T>
bool isnan(T x) {
  return x != x;
}
/// 1 / x for normal numbers, in a place where the function's bound allows for an error of one ULP.
/// Exact, but where a target's native mode takes it by an approximate instruction
/// (passes/lower/math_targets.def).
template <std::floating_point T>
T reciprocal(T x) {
  return 1 / x;
}
/// The same of the square root, of zero and normal numbers.
template <std::floating_point T>
T square_root(T x) {
  return std::sqrt(x);
}
template <Plain T>
T select(bool c, T x, std::type_identity_t<T> y) {
  return c ? x : y;
}
template <class To, Plain From>
To bitcast(From x) {
  return std::bit_cast<To>(x);
}
template <class To, Plain From>
  requires(std::integral<To> || std::floating_point<To>)
To cast(From x) {
  return static_cast<To>(x);
}
inline std::uint32_t mul_hi(std::uint32_t x, std::uint32_t y) {
  return std::uint32_t((std::uint64_t(x) * y) >> 32);
}
inline std::uint64_t mul_hi(std::uint64_t x, std::uint64_t y) {
  return std::uint64_t((static_cast<unsigned __int128>(x) * y) >> 64);
}
inline bool both(bool x, bool y) { return x && y; }
inline bool either(bool x, bool y) { return x || y; }
inline bool negate(bool x) { return !x; }

/// Runs a rare path: on lanes the code is jumped over when no lane needs it.
template <class Body>
void when(bool condition, Body&& body) {
  if (condition) body();
}
template <class Body, class Other>
void when(bool condition, Body&& body, Other&& other) {
  if (condition) body();
  else other();
}
/// f(x…), on a path that few arguments take: in the IR a function that is called (math.<name>, one
/// a name and type), so that code that does not get here pays nothing for it. Give every f its own
/// name.
template <class Real, class Function, Plain... Operands>
auto rarely(const char*, const Function& f, const Operands&... x) {
  return f(x...);
}
/// The same on a path that is not rare.
template <class Real, class Function, Plain... Operands>
auto apart(const char*, const Function& f, const Operands&... x) {
  return f(x...);
}
/// Repeats body while condition() holds.
template <class Condition, class Body>
  requires std::same_as<std::invoke_result_t<Condition>, bool>
void repeat_while(Condition&& condition, Body&& body) {
  while (condition()) body();
}

// ---- words made of words ------------------------------------------------------------------------
/// Coefficients[From] + x Coefficients[From + Step] + …, each step fused.
template <const auto& Coefficients, std::size_t From = 0, std::size_t Step = 1, class Real>
Real horner(const Real& x) {
  if constexpr (From + Step >= std::size(Coefficients)) {
    return Real(Coefficients[From]);
  } else {
    return fma(horner<Coefficients, From + Step, Step>(x), x, Real(Coefficients[From]));
  }
}
/// The same polynomial by its even and its odd powers, two chains that run side by side: a
/// processor waits four cycles for each step of a chain, and looks no further ahead than some 64
/// operations. For polynomials whose first terms outweigh the others; elsewhere the rounding of x^2
/// shows.
template <const auto& Coefficients, class Real>
Real horner_by_halves(const Real& x, const Real& square) {
  return fma(horner<Coefficients, 1, 2>(square), x, horner<Coefficients, 0, 2>(square));
}
/// A plain number as a Real.
template <class Real, class Number>
Real constant(Number x) {
  return Real(Scalar<Real>(x));
}
template <class Real>
Real infinity() {
  return Real(std::numeric_limits<Scalar<Real>>::infinity());
}
template <class Real>
Real not_a_number() {
  return Real(std::numeric_limits<Scalar<Real>>::quiet_NaN());
}

template <class Real>
Unsigned<Real> bits(const Real& x) {
  return bitcast<PlainUnsigned<Real>>(x);
}
template <class Real>
Real from_bits(const Unsigned<Real>& x) {
  return Real(bitcast<Scalar<Real>>(x));
}
template <class Real>
Int<Real> as_signed(const Unsigned<Real>& x) {
  return bitcast<PlainInt<Real>>(x);
}
template <class Real>
Unsigned<Real> as_unsigned(const Int<Real>& x) {
  return bitcast<PlainUnsigned<Real>>(x);
}

}  // namespace krait::math
