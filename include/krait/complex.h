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

#include <complex>

#include <krait/krait.h>

namespace krait {
namespace detail {

template <class Type>
inline constexpr bool is_struct<std::complex<Type>> = true;

template <class Type>
struct composite<std::complex<Type>> {
  static_assert(std::is_same_v<Type, float> || std::is_same_v<Type, double>,
                "krait: kernels support std::complex<float> and std::complex<double> only");
  using types = std::tuple<Type, Type>;
  template <class Object, class Visit>
  static void each(Object& object, const Visit& visit) {
    using part = std::conditional_t<std::is_const_v<Object>, const Type, Type>;
    auto& parts = reinterpret_cast<part(&)[2]>(object);  // [complex.numbers.general] allows it
    visit(parts[0]), visit(parts[1]);
  }
};

template <template <class> class Wrapper, class Type>
class parts<Wrapper, std::complex<Type>> {
 public:
  static constexpr std::size_t count = 2;
  template <std::size_t Index>
  using part_type = Type;

  template <source Source>
  explicit parts(Source& from) : real_(from), imag_(from) {}
  template <class Visit>
  void leaves(const Visit& visit) const {
    visit(real_), visit(imag_);
  }
  value<Type> real() const { return value<Type>(real_); }
  value<Type> imag() const { return value<Type>(imag_); }

  template <std::size_t Index>
  value<Type> get() const {
    if constexpr (Index == 0) return real();
    else return imag();
  }

 private:
  Wrapper<Type> real_, imag_;
};

template <class Type>
struct component_of_complex {};
template <class Type>
struct component_of_complex<std::complex<Type>> {
  using type = Type;
};
template <class Type>
concept any_complex = requires {
  typename component_of_complex<held_t<Type>>::type;
};
template <any_complex Type>
using component_t = typename component_of_complex<held_t<Type>>::type;
template <class Type>
concept traced_complex = any_complex<Type> && traced_composite<Type>;
template <class Type>
concept traced_number = traced_complex<Type> || traced<Type>;
template <class Type>
concept plain_number = (any_complex<Type> && !traced_composite<Type>) || plain<Type>;
template <class Left, class Right>
concept complex_operands = any_complex<Left> || any_complex<Right>;

/// The component type of a result.
template <class Left, class Right>
struct common_component : std::type_identity<component_t<Left>> {};  // a plain number takes the other's type
template <class Left, any_complex Right>
requires(!any_complex<Left>) struct common_component<Left, Right> : common_component<Right, Left> {
};
template <any_complex Left, any_complex Right>
struct common_component<Left, Right> : std::type_identity<arith_t<component_t<Left>, component_t<Right>>> {};
template <any_complex Left, traced Right>
struct common_component<Left, Right> : std::type_identity<real_t<arith_t<component_t<Left>, typename Right::traced_type>>> {};

/// An operand: a real one has no imaginary part to compute with.
template <class Type, class Operand>
struct cartesian {
  static constexpr bool is_real = !any_complex<Operand>;
  value<Type> re, im;
  explicit cartesian(const Operand& z)
      : re([&] {
          if constexpr (is_real) return value<Type>(z);
          else return value<Type>(z.real());
        }()),
        im([&] {
          if constexpr (is_real) return value<Type>(Type());
          else return value<Type>(z.imag());
        }()) {}
};

struct complex_sum {
  template <class Type, class X, class Y>
  static value<std::complex<Type>> run(const X& x, const Y& y) {
    if constexpr (X::is_real) return {x.re + y.re, y.im};
    else if constexpr (Y::is_real) return {x.re + y.re, x.im};
    else return {x.re + y.re, x.im + y.im};
  }
};
struct complex_difference {
  template <class Type, class X, class Y>
  static value<std::complex<Type>> run(const X& x, const Y& y) {
    if constexpr (X::is_real) return {x.re - y.re, -y.im};
    else if constexpr (Y::is_real) return {x.re - y.re, x.im};
    else return {x.re - y.re, x.im - y.im};
  }
};
struct complex_product {
  template <class Type, class X, class Y>
  static value<std::complex<Type>> run(const X& x, const Y& y) {
    if constexpr (X::is_real) return {x.re * y.re, x.re * y.im};
    else if constexpr (Y::is_real) return {x.re * y.re, x.im * y.re};
    else {
      const auto re = x.re * y.re - x.im * y.im;
      return {re, x.re * y.im + x.im * y.re};
    }
  }
};
/// R. L. Smith, Algorithm 116: Complex division, CACM 5 (1962) 435.
struct complex_quotient {
  template <class Type, class X, class Y>
  static value<std::complex<Type>> run(const X& x, const Y& y) {
    if constexpr (Y::is_real) {
      return {x.re / y.re, x.im / y.re};
    } else {
      const value<bool> real_is_larger = krait::abs(y.re) >= krait::abs(y.im);
      const auto large = krait::select(real_is_larger, y.re, y.im), small = krait::select(real_is_larger, y.im, y.re);
      const auto ratio = small / large, scale = large + small * ratio;
      const auto first = krait::select(real_is_larger, x.re, x.im), second = krait::select(real_is_larger, x.im, x.re);
      const auto re = first + second * ratio;
      const auto im = second - first * ratio;
      return {re / scale, krait::select(real_is_larger, im, -im) / scale};
    }
  }
};
template <class Operation, class Left, class Right>
auto compute_complex(const Left& x, const Right& y) {
  using type = typename common_component<Left, Right>::type;
  const cartesian<type, Left> left(x);
  const cartesian<type, Right> right(y);
  return Operation::template run<type>(left, right);
}

}  // namespace detail

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
auto imag(const Type& z) {
  return z.imag();
}
template <detail::any_complex Type>
auto conj(const Type& z) {
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
auto exp(const Type& z) {
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
