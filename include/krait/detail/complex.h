// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::complex as a composite type, its arithmetic, and how its functions are called.
#pragma once

#include <complex>

#include <krait/detail/complex_functions.h>
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
concept any_complex = requires { typename component_of_complex<held_t<Type>>::type; };
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
// a plain number takes the other's type
struct common_component : std::type_identity<component_t<Left>> {};
template <class Left, any_complex Right>
  requires(!any_complex<Left>)
struct common_component<Left, Right> : common_component<Right, Left> {};
template <any_complex Left, any_complex Right>
struct common_component<Left, Right>
    : std::type_identity<arith_t<component_t<Left>, component_t<Right>>> {};
template <any_complex Left, traced Right>
struct common_component<Left, Right>
    : std::type_identity<real_t<arith_t<component_t<Left>, typename Right::traced_type>>> {};

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

/// A plain or traced operand as parts of type Real.
template <class Real, class Operand>
complex_parts<Real> parts_as(const Operand& z) {
  if constexpr (traced<Real>) {
    const cartesian<typename Real::traced_type, Operand> parts(z);
    return {parts.re, parts.im};
  } else if constexpr (any_complex<Operand>) {
    return {static_cast<Real>(z.real()), static_cast<Real>(z.imag())};
  } else {
    return {static_cast<Real>(z), Real()};
  }
}
template <class Real>
auto complex_of(const complex_parts<Real>& z) {
  if constexpr (traced<Real>) return value<std::complex<typename Real::traced_type>>(z.re, z.im);
  else return std::complex<Real>(z.re, z.im);
}

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
struct complex_quotient {
  template <class Type, class X, class Y>
  static value<std::complex<Type>> run(const X& x, const Y& y) {
    if constexpr (Y::is_real) {
      return {x.re / y.re, x.im / y.re};
    } else {
      const auto z = complex_quotient_parts(x.re, x.im, y.re, y.im);
      return {z.re, z.im};
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
}  // namespace krait
