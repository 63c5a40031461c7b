// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of expressions on whole arrays, and the kernel of an expression.
#pragma once

#include <tuple>
#include <utility>

#include <krait/array.h>
#include <krait/vectorize.h>

namespace krait::detail {

// Operands. Each has `leaves` arguments of the kernel, gives them by arguments(), and computes
// itself from the First-th and those after it.
template <class Elem, int Rank>
struct array_operand {
  static constexpr int leaves = 1, rank = Rank;
  array<const Elem, Rank> held;  // shares the memory
  explicit array_operand(array<const Elem, Rank>&& of) : held(std::move(of)) {}
  array_operand(const array_operand& other) : held(other.held.share()) {}
  array_operand(array_operand&&) = default;
  std::tuple<const array<const Elem, Rank>&> arguments() const { return {held}; }
  template <int First, class Values>
  static auto compute(const Values& values) {
    return std::get<First>(values);
  }
};
template <class Number>
struct number_operand {
  static constexpr int leaves = 1, rank = 0;
  Number held;
  std::tuple<Number> arguments() const { return {held}; }
  template <int First, class Values>
  static auto compute(const Values& values) {
    return std::get<First>(values);
  }
};

/// The type of a product, of which one factor is complex.
template <class First, class Second>
using complex_of_both =
    held_t<decltype(std::declval<value<First>>() * std::declval<value<Second>>())>;
template <class... Types>
inline constexpr bool refuses_complex = (complex_number<held_t<Types>> || ...);
/// Stands for what complex numbers do not have.
template <class Type>
auto no_complex() {
  static_assert(
      always_false<Type>,
      "krait: complex numbers do not have this: take kr::real(z), kr::imag(z), kr::abs(z) or "
      "kr::arg(z) first");
  return value<bool>(false);
}
template <class... Types>
inline constexpr bool are_bools = (std::is_same_v<held_t<Types>, bool> && ...);
/// Of two numbers as truths: `And`, `Or` or `Xor`, both sides computed.
template <op Op, class Left, class Right>
  requires(!refuses_complex<Left, Right>)
value<bool> logical_element(const Left& x, const Right& y) {
  return value<bool>(
      apply(Op, scalar::boolean, node_of(krait::cast<bool>(x)), node_of(krait::cast<bool>(y))));
}
/// Bits of two numbers, where those of bools are a bool, as in NumPy and unlike C++: a mask stays a
/// mask.
template <op Op, class Left, class Right>
  requires(!refuses_complex<Left, Right>)
auto bits_element(const Left& x, const Right& y) {
  if constexpr (are_bools<Left, Right>) return logical_element<Op>(x, y);
  else if constexpr (Op == op::And) return x & y;
  else if constexpr (Op == op::Or) return x | y;
  else return x ^ y;
}
template <class Type>
  requires(!refuses_complex<Type>)
auto inverted_element(const Type& x) {
  if constexpr (are_bools<Type>) return !x;
  else return ~x;
}
/// A computed value as an element of an array: a real number becomes a complex one, never the
/// other way round.
template <class To, class From>
value<To> as_element(const From& x) {
  if constexpr (complex_number<To>) {
    using part = typename To::value_type;
    if constexpr (complex_number<held_t<From>>)
      return value<To>(value<part>(x.real()), value<part>(x.imag()));
    else return value<To>(value<part>(x), value<part>(part()));
  } else if constexpr (complex_number<held_t<From>>) {
    static_assert(
        always_false<From>,
        "krait: a complex number does not become a real one: take kr::real(z), kr::imag(z) or kr::abs(z)");
    return value<To>(To());
  } else {
    return value<To>(x);
  }
}

/// The same as kr::cast has it.
template <class To, class From>
value<To> cast_element(const From& x) {
  if constexpr (complex_number<To> || complex_number<held_t<From>>) return as_element<To>(x);
  else return value<To>(krait::cast<To>(x));
}

/// The kernel of an expression that becomes an array of Elem: it holds nothing.
template <class Expression, class Elem>
struct expression_kernel {
  template <class... Values>
  value<Elem> operator()(const Values&... values) const {
    return as_element<Elem>(access::compute<Expression, 0>(std::tuple<Values...>(values...)));
  }
  /// The one object of this type. Arrays of static duration may be assigned to in destructors.
  static const vectorized<expression_kernel>& object() {
    static const auto& made =
        lasting(vectorized<expression_kernel>({}, {.name = "array_expression"}, location::here()));
    return made;
  }
};

}  // namespace krait::detail
