// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::complex<float> and std::complex<double> in kernels: arguments, elements of arrays, arithmetic, functions. In memory they are
// the host's. Not included by krait.h.
//
// Products are computed by the formula, without the search for infinities of C's Annex G (as with -fcx-limited-range, in CUDA and
// in Numba); quotients by Smith's method, which does not overflow where the result does not. A number beside a complex value is
// converted to its component type.
//
//   auto z = kr::value<std::complex<float>>(x, y);
//   kr::while_([&] { return kr::norm(w) < 4; }, [&] { w = w * w + z; });
#pragma once

#include <krait/detail/complex.h>

namespace krait {
// Undefined below. Plain operands by value, so that constants can be used in lambdas that do not capture them.
#define KRAIT_COMPLEX(symbol, operation)                                                                                \
  template <detail::traced_number Left, detail::traced_number Right>                                                    \
  requires detail::complex_operands<Left, Right>                                                                        \
  auto operator symbol(const Left& x, const Right& y) { return detail::compute_complex<detail::operation>(x, y); }      \
  template <detail::traced_number Left, detail::plain_number Right>                                                     \
  requires detail::complex_operands<Left, Right>                                                                        \
  auto operator symbol(const Left& x, Right y) { return detail::compute_complex<detail::operation>(x, y); }             \
  template <detail::plain_number Left, detail::traced_number Right>                                                     \
  requires detail::complex_operands<Left, Right>                                                                        \
  auto operator symbol(Left x, const Right& y) { return detail::compute_complex<detail::operation>(x, y); }             \
  template <class Type, class Right>                                                                                    \
  requires(detail::traced_number<Right> || detail::plain_number<Right>) var<std::complex<Type>>                         \
  &operator symbol##=(var<std::complex<Type>>& x, const Right& y) { return x = value<std::complex<Type>>(x symbol y); } \
  template <class Type, class Right>                                                                                    \
  requires(detail::traced_number<Right> || detail::plain_number<Right>) value<std::complex<Type>>                       \
  operator symbol##=(ref<std::complex<Type>>&& x, const Right& y) {                                                     \
    return static_cast<ref<std::complex<Type>>&&>(x) = value<std::complex<Type>>(x symbol y);                           \
  }
KRAIT_COMPLEX(+, complex_sum)
KRAIT_COMPLEX(-, complex_difference)
KRAIT_COMPLEX(*, complex_product)
KRAIT_COMPLEX(/, complex_quotient)
#undef KRAIT_COMPLEX

template <detail::traced_complex Type>
auto operator+(const Type& z) {
  return value<detail::held_t<Type>>(z);
}
template <detail::traced_complex Type>
auto operator-(const Type& z) {
  return value<detail::held_t<Type>>(-z.real(), -z.imag());
}
template <class Left, class Right>
requires(detail::traced_complex<Left> || detail::traced_complex<Right>) value<bool>
operator==(const Left& x, const Right& y) {
  using type = typename detail::common_component<Left, Right>::type;
  const detail::cartesian<type, Left> left(x);
  const detail::cartesian<type, Right> right(y);
  const value<bool> re = left.re == right.re, im = left.im == right.im;
  return value<bool>((re & im) != 0);
}
template <class Left, class Right>
requires(detail::traced_complex<Left> || detail::traced_complex<Right>) value<bool>
operator!=(const Left& x, const Right& y) { return !(x == y); }

/// The functions take traced and plain std::complex values. Plain ones are computed by the host's library.
template <detail::any_complex Type>
auto real(const Type& z) {
  return z.real();
}
template <detail::any_complex Type>
auto imag(const Type& z) {  ///< The imaginary part, as a number of the component's type.
  return z.imag();
}
template <detail::any_complex Type>
auto conj(const Type& z) {  ///< The conjugate: the imaginary part has the other sign.
  if constexpr (detail::traced_composite<Type>) return value<detail::held_t<Type>>(z.real(), -z.imag());
  else return std::conj(z);
}
/// The magnitude, without undue overflow.
template <detail::any_complex Type>
auto abs(const Type& z) {
  if constexpr (detail::traced_composite<Type>) return krait::hypot(z.real(), z.imag());
  else return std::abs(z);
}
/// The square of the magnitude.
template <detail::any_complex Type>
auto norm(const Type& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
/// The angle in radians, from -pi to pi.
template <detail::any_complex Type>
auto arg(const Type& z) {
  return krait::atan2(z.imag(), z.real());
}
/// The complex number of that magnitude and angle.
template <detail::operand_type Magnitude, detail::operand_type Angle>
auto polar(const Magnitude& magnitude, const Angle& angle) {
  using type = detail::real_of<Magnitude, Angle>;
  if constexpr (detail::traced<Magnitude> || detail::traced<Angle>) {
    const value<type> r(magnitude), a(angle);
    const auto re = r * krait::cos(a);
    return value<std::complex<type>>(re, r * krait::sin(a));
  } else {
    return std::polar<type>(magnitude, angle);
  }
}
template <detail::any_complex Type>
auto exp(const Type& z) {  ///< e to the power of z; real where z is.
  if constexpr (detail::traced_composite<Type>) {
    const auto size = krait::exp(z.real()), angle = z.imag();
    const auto re = krait::select(angle == 0, size, size * krait::cos(angle));  // not inf * 0 on the real axis
    return value<detail::held_t<Type>>(re, krait::select(angle == 0, angle, size * krait::sin(angle)));
  } else {
    return std::exp(z);
  }
}
/// The principal value: the imaginary part is from -pi to pi.
template <detail::any_complex Type>
auto log(const Type& z) {
  if constexpr (detail::traced_composite<Type>) {
    using type = detail::component_t<Type>;
    const auto x = krait::abs(z.real()), y = krait::abs(z.imag());
    const auto size = krait::hypot(x, y), large = krait::max(x, y), small = krait::min(x, y);
    // Near the unit circle the logarithm of the rounded magnitude would have no digits left.
    const auto near_one = type(0.5) * krait::log1p((large - type(1)) * (large + type(1)) + small * small);
    const value<bool> near = (krait::abs(size - type(1)) < type(0.25));
    return value<detail::held_t<Type>>(krait::select(near, near_one, krait::log(size)), arg(z));
  } else {
    return std::log(z);
  }
}
/// The principal value: the real part is not negative.
template <detail::any_complex Type>
auto sqrt(const Type& z) {
  if constexpr (detail::traced_composite<Type>) {
    using type = detail::component_t<Type>;
    const auto x = krait::abs(z.real()) * type(0.5), y = z.imag();
    const auto root = krait::sqrt(x + krait::hypot(x, y * type(0.5)));  // of (|x| + |z|) / 2, whose halves do not overflow
    const auto other = krait::select(root == 0, krait::abs(y), krait::abs(y) * type(0.5) / root);
    const value<bool> right = z.real() >= 0;
    return value<detail::held_t<Type>>(krait::select(right, root, other), krait::copysign(krait::select(right, other, root), y));
  } else {
    return std::sqrt(z);
  }
}
/// exp(power * log(base)), 0 for a base of 0. One of the two may be a number.
template <class Base, class Power>
requires(detail::traced_complex<Base> || detail::traced_complex<Power> ||
         (detail::any_complex<Base> && detail::traced<Power>)) auto pow(const Base& base, const Power& power) {
  using type = typename detail::common_component<Base, Power>::type;
  const detail::cartesian<type, Base> from(base);
  const value<std::complex<type>> z(from.re, from.im);
  const value<std::complex<type>> result = krait::exp(power * krait::log(z));
  const value<bool> zero = z == type(0);
  return krait::select(zero, value<std::complex<type>>(type(0), type(0)), result);
}
template <class Base, class Power>
requires(!detail::any_traced<Base> && !detail::any_traced<Power> &&
         (detail::any_complex<Base> || detail::any_complex<Power>)) auto pow(const Base& base, const Power& power) {
  return std::pow(base, power);
}

}  // namespace krait
