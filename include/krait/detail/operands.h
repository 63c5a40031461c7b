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

/// The kernel of an expression that becomes an array of Elem: it holds nothing.
template <class Expression, class Elem>
struct expression_kernel {
  template <class... Values>
  value<Elem> operator()(const Values&... values) const {
    return value<Elem>(Expression::template compute<0>(std::tuple<Values...>(values...)));
  }
  /// The one object of this type. Arrays of static duration may be assigned to in destructors.
  static const vectorized<expression_kernel>& object() {
    static const auto& made =
        lasting(vectorized<expression_kernel>({}, {.name = "array_expression"}, location::here()));
    return made;
  }
};

}  // namespace krait::detail
