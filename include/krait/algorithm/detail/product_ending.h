// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ending of a product of matrices: a function of each sum, and of further operands' elements at
// its place, before it is stored.
#pragma once

#include <tuple>

#include <krait/algorithm/detail/form.h>

namespace krait::detail {

/// A sum as an element.
template <class Out, class Word>
value<Out> leave_word(const value<Word>& x) {
  if constexpr (std::is_same_v<Out, bool>) return value<Out>(x != 0);
  else return cast<Out>(x);
}

/// A kernel's parameter, and its element at a place: an array's, or a number.
template <class Operand>
struct ending_operand {
  using parameter = value<Operand>;
  static value<Operand> at(const parameter& x, const value<std::int64_t>&,
                           const value<std::int64_t>&, const value<std::int64_t>&) {
    return x;
  }
};
template <class Elem>
struct ending_operand<array<const Elem, 3>> {
  using parameter = view<const Elem, 3>;
  static value<Elem> at(const parameter& x, const value<std::int64_t>& batch,
                        const value<std::int64_t>& row, const value<std::int64_t>& column) {
    return x(batch, row, column);
  }
};
template <class Operand>
using ending_parameter = typename ending_operand<Operand>::parameter;

/// The sum as it is.
struct sum_alone {
  template <class Sum>
  Sum operator()(const Sum& x) const {
    return x;
  }
};

/// Function of a sum, then of the elements of More, which are arrays that were broadcast to the
/// result, or numbers.
template <class Function = sum_alone, class... More>
struct product_ending {
  Function f;
  std::tuple<More...> more;

  /// The type that is stored.
  template <class Out, class Word>
  static value<Out> of(const Function& f, const value<Word>& sum, const value<std::int64_t>& batch,
                       const value<std::int64_t>& row, const value<std::int64_t>& column,
                       const ending_parameter<More>&... more) {
    if constexpr (std::is_same_v<Function, sum_alone>) return leave_word<Out>(sum);
    else return as_value<Out>(f(sum, ending_operand<More>::at(more, batch, row, column)...));
  }
  /// launch(operands…) with those of the ending behind all others.
  template <class Launch>
  void launch(const Launch& launch) const {
    std::apply(launch, more);
  }
};

}  // namespace krait::detail
