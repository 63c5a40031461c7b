// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::complex<float> and std::complex<double> in kernels: arguments, elements of arrays,
// arithmetic and functions. The memory layout is that of the host. Not included by krait.h.
//
// Functions and quotients are accurate over the whole range, with the special values of C's Annex G
// (docs/numbers.md). Products use the formula, without Annex G's search for infinities, as in
// NumPy, in CUDA and with -fcx-limited-range. A real number next to a complex one is converted to
// its component type.
//
//   auto z = kr::value<std::complex<float>>(x, y);
//   kr::while_([&] { return kr::norm(w) < 4; }, [&] { w = w * w + z; });
#pragma once

#include <krait/detail/complex.h>

namespace krait {
// Undefined below. Plain operands by value, so that constants can be used in lambdas that do not
// capture them.
#define KRAIT_COMPLEX(symbol, operation)                                                      \
  template <detail::traced_number Left, detail::traced_number Right>                          \
    requires detail::complex_operands<Left, Right>                                            \
  auto operator symbol(const Left& x, const Right& y) {                                       \
    return detail::compute_complex<detail::operation>(x, y);                                  \
  }                                                                                           \
  template <detail::traced_number Left, detail::plain_number Right>                           \
    requires detail::complex_operands<Left, Right>                                            \
  auto operator symbol(const Left& x, Right y) {                                              \
    return detail::compute_complex<detail::operation>(x, y);                                  \
  }                                                                                           \
  template <detail::plain_number Left, detail::traced_number Right>                           \
    requires detail::complex_operands<Left, Right>                                            \
  auto operator symbol(Left x, const Right& y) {                                              \
    return detail::compute_complex<detail::operation>(x, y);                                  \
  }                                                                                           \
  template <class Type, class Right>                                                          \
    requires(detail::traced_number<Right> || detail::plain_number<Right>)                     \
  var<std::complex<Type>>& operator symbol##=(var<std::complex<Type>>& x, const Right& y) {   \
    return x = value<std::complex<Type>>(x symbol y);                                         \
  }                                                                                           \
  template <class Type, class Right>                                                          \
    requires(detail::traced_number<Right> || detail::plain_number<Right>)                     \
  value<std::complex<Type>> operator symbol##=(ref<std::complex<Type>>&& x, const Right& y) { \
    return static_cast<ref<std::complex<Type>>&&>(x) = value<std::complex<Type>>(x symbol y); \
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
  requires(detail::traced_complex<Left> || detail::traced_complex<Right>)
value<bool> operator==(const Left& x, const Right& y) {
  using type = typename detail::common_component<Left, Right>::type;
  const detail::cartesian<type, Left> left(x);
  const detail::cartesian<type, Right> right(y);
  const value<bool> re = left.re == right.re, im = left.im == right.im;
  return value<bool>((re & im) != 0);
}
template <class Left, class Right>
  requires(detail::traced_complex<Left> || detail::traced_complex<Right>)
value<bool> operator!=(const Left& x, const Right& y) {
  return !(x == y);
}

/// The real part, as a number of the component's type.
/// The functions here take traced and plain std::complex values. For plain ones they give the same
/// bits as a kernel in strict mode.
/// \code
/// kr::value<std::complex<float>> z(x[i], y[i]);
/// y[i] = kr::real(z) + kr::imag(kr::conj(z));
/// \endcode
template <detail::any_complex Type>
auto real(const Type& z) {
  return z.real();
}
/// The imaginary part, as a number of the component's type.
template <detail::any_complex Type>
auto imag(const Type& z) {
  return z.imag();
}
/// The complex conjugate: the imaginary part changes its sign.
template <detail::any_complex Type>
auto conj(const Type& z) {
  return detail::complex_of(detail::complex_parts<decltype(z.real())>{z.real(), -z.imag()});
}
/// The magnitude |z|, without overflow in between.
/// \code
/// y[i] = kr::abs(kr::value<std::complex<float>>(x[i], y[i]));
/// \endcode
template <detail::any_complex Type>
auto abs(const Type& z) {
  return krait::hypot(z.real(), z.imag());
}
/// The square of the magnitude, as std::norm.
template <detail::any_complex Type>
auto norm(const Type& z) {
  return detail::product(z.real(), z.real()) + detail::product(z.imag(), z.imag());
}
/// The angle of z in radians, from -pi to pi.
template <detail::any_complex Type>
auto arg(const Type& z) {
  return krait::atan2(z.imag(), z.real());
}
/// The complex number with this magnitude and angle in radians.
/// An angle of 0 gives a real number, even for an infinite magnitude.
/// \code
/// auto z = kr::polar(1.0f, x[i]);
/// \endcode
template <detail::operand_type Magnitude, detail::operand_type Angle>
auto polar(const Magnitude& magnitude, const Angle& angle) {
  using kept = detail::kept_real2<Magnitude, Angle>;
  return detail::complex_of(
      detail::complex_polar(detail::as_real<kept>(magnitude), detail::as_real<kept>(angle)));
}
/// e to the power z; the result is real if z is.
/// \code
/// auto z = kr::exp(kr::value<std::complex<float>>(0.0f, x[i]));
/// \endcode
template <detail::any_complex Type>
auto exp(const Type& z) {
  return detail::complex_of(detail::complex_exp(z.real(), z.imag()));
}
/// The principal natural logarithm; its imaginary part is from -pi to pi.
template <detail::any_complex Type>
auto log(const Type& z) {
  return detail::complex_of(detail::complex_log(z.real(), z.imag()));
}
/// The principal square root; its real part is not negative.
/// \code
/// auto root = kr::sqrt(kr::value<std::complex<float>>(-1.0f, 0.0f));
/// \endcode
template <detail::any_complex Type>
auto sqrt(const Type& z) {
  return detail::complex_of(detail::complex_sqrt(z.real(), z.imag()));
}
/// exp(power * log(base)); one of the two may be a real number.
/// A power of 0 gives 1. Otherwise a base of 0 gives 0 if the power's real part is positive, and
/// NaN if not.
template <class Base, class Power>
  requires(detail::complex_operands<Base, Power> &&
           (detail::traced_number<Base> || detail::plain_number<Base>) &&
           (detail::traced_number<Power> || detail::plain_number<Power>))
auto pow(const Base& base, const Power& power) {
  using type = typename detail::common_component<Base, Power>::type;
  using kept =
      std::conditional_t<detail::any_traced<Base> || detail::any_traced<Power>, value<type>, type>;
  const auto z = detail::parts_as<kept>(base), w = detail::parts_as<kept>(power);
  return detail::complex_of(detail::complex_pow(z.re, z.im, w.re, w.im));
}
/// The sine of z.
/// \code
/// auto waves = kr::sin(kr::value<std::complex<float>>(x[i], y[i]));
/// \endcode
template <detail::any_complex Type>
auto sin(const Type& z) {
  const auto w = detail::complex_sinh(-z.imag(), z.real());  // sin z = -i sinh(i z)
  return detail::complex_of(detail::complex_parts<decltype(z.real())>{w.im, -w.re});
}
/// The cosine of z.
template <detail::any_complex Type>
auto cos(const Type& z) {
  return detail::complex_of(detail::complex_cosh(-z.imag(), z.real()));
}
/// The tangent of z.
template <detail::any_complex Type>
auto tan(const Type& z) {
  const auto w = detail::complex_tanh(-z.imag(), z.real());
  return detail::complex_of(detail::complex_parts<decltype(z.real())>{w.im, -w.re});
}
/// The hyperbolic sine of z.
template <detail::any_complex Type>
auto sinh(const Type& z) {
  return detail::complex_of(detail::complex_sinh(z.real(), z.imag()));
}
/// The hyperbolic cosine of z.
template <detail::any_complex Type>
auto cosh(const Type& z) {
  return detail::complex_of(detail::complex_cosh(z.real(), z.imag()));
}
/// The hyperbolic tangent of z.
template <detail::any_complex Type>
auto tanh(const Type& z) {
  return detail::complex_of(detail::complex_tanh(z.real(), z.imag()));
}
/// The logarithm of z to the base 10.
template <detail::any_complex Type>
auto log10(const Type& z) {
  return log(z) * detail::component_t<Type>(0.43429448190325182765);
}
/// The logarithm of z to the base 2.
template <detail::any_complex Type>
auto log2(const Type& z) {
  return log(z) * detail::component_t<Type>(1.44269504088896340736);
}
/// Tests whether a part is NaN.
template <detail::any_complex Type>
auto isnan(const Type& z) {
  return krait::isnan(z.real()) || krait::isnan(z.imag());
}
/// Tests whether a part is infinite.
template <detail::any_complex Type>
auto isinf(const Type& z) {
  return krait::isinf(z.real()) || krait::isinf(z.imag());
}
/// Tests whether both parts are finite.
template <detail::any_complex Complex>
auto isfinite(const Complex& z) {
  return krait::isfinite(z.real()) && krait::isfinite(z.imag());
}

// Undefined below. Of an element of an array on the host: it is read.
#define KRAIT_OF_COMPLEX_ELEMENT(function)        \
  template <detail::unread_complex Type>          \
  auto function(const Type& z) {                  \
    return krait::function(detail::as_number(z)); \
  }
KRAIT_OF_COMPLEX_ELEMENT(real)
KRAIT_OF_COMPLEX_ELEMENT(imag)
KRAIT_OF_COMPLEX_ELEMENT(conj)
KRAIT_OF_COMPLEX_ELEMENT(abs)
KRAIT_OF_COMPLEX_ELEMENT(norm)
KRAIT_OF_COMPLEX_ELEMENT(arg)
KRAIT_OF_COMPLEX_ELEMENT(exp)
KRAIT_OF_COMPLEX_ELEMENT(log)
KRAIT_OF_COMPLEX_ELEMENT(log2)
KRAIT_OF_COMPLEX_ELEMENT(log10)
KRAIT_OF_COMPLEX_ELEMENT(sqrt)
KRAIT_OF_COMPLEX_ELEMENT(sin)
KRAIT_OF_COMPLEX_ELEMENT(cos)
KRAIT_OF_COMPLEX_ELEMENT(tan)
KRAIT_OF_COMPLEX_ELEMENT(sinh)
KRAIT_OF_COMPLEX_ELEMENT(cosh)
KRAIT_OF_COMPLEX_ELEMENT(tanh)
KRAIT_OF_COMPLEX_ELEMENT(isnan)
KRAIT_OF_COMPLEX_ELEMENT(isinf)
KRAIT_OF_COMPLEX_ELEMENT(isfinite)
#undef KRAIT_OF_COMPLEX_ELEMENT
template <class Base, class Power>
  requires detail::complex_beside<Base, Power>
auto pow(const Base& base, const Power& power) {
  return krait::pow(detail::as_number(base), detail::as_number(power));
}

namespace detail {
// Of real numbers, too, as in NumPy.
struct real_elements {
  template <class Type>
  auto operator()(const Type& x) const {
    if constexpr (any_complex<Type>) return x.real();
    else return x;
  }
};
struct imag_elements {
  template <class Type>
  auto operator()(const Type& x) const {
    if constexpr (any_complex<Type>) return x.imag();
    else return value<held_t<Type>>(held_t<Type>());
  }
};
struct conj_elements {
  template <class Type>
  auto operator()(const Type& x) const {
    if constexpr (any_complex<Type>) return krait::conj(x);
    else return x;
  }
};
struct arg_elements {
  template <class Type>
  auto operator()(const Type& x) const {
    if constexpr (any_complex<Type>) return krait::arg(x);
    else return krait::atan2(x - x, x);
  }
};
struct polar_elements {
  template <class Magnitude, class Angle>
  auto operator()(const Magnitude& magnitude, const Angle& angle) const {
    return krait::polar(magnitude, angle);
  }
};
}  // namespace detail

/// The real parts of an array or expression: an expression of real numbers.
/// \code
/// kr::array<std::complex<float>> z(8);
/// kr::array<float> parts = kr::real(z);
/// \endcode
template <detail::whole_array Type>
auto real(Type&& z) {
  return detail::make_expression<detail::real_elements>(std::forward<Type>(z));
}
/// The imaginary parts of an array or expression, 0 of real numbers.
template <detail::whole_array Type>
auto imag(Type&& z) {
  return detail::make_expression<detail::imag_elements>(std::forward<Type>(z));
}
/// The complex conjugates of an array's or expression's elements.
template <detail::whole_array Type>
auto conj(Type&& z) {
  return detail::make_expression<detail::conj_elements>(std::forward<Type>(z));
}
/// The angles of an array's or expression's elements in radians, as numpy.angle.
template <detail::whole_array Type>
auto arg(Type&& z) {
  return detail::make_expression<detail::arg_elements>(std::forward<Type>(z));
}
/// The complex numbers with these magnitudes and angles in radians; one of the two may be a number.
template <class Magnitudes, class Angles>
  requires detail::whole_arrays<Magnitudes, Angles>
auto polar(Magnitudes&& magnitudes, Angles&& angles) {
  return detail::make_expression<detail::polar_elements>(std::forward<Magnitudes>(magnitudes),
                                                         std::forward<Angles>(angles));
}

}  // namespace krait
