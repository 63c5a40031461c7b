// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments as algorithms take them: of the element type that several have in common, and of any
// number of dimensions.
#pragma once

#include <krait/expression.h>

namespace krait::detail {

template <class First, class... Rest>
struct common_number {
  using type = First;
};
template <class First, class Second, class... Rest>
struct common_number<First, Second, Rest...>
    : common_number<
          typename std::conditional_t<std::is_same_v<First, Second>, std::type_identity<First>,
                                      arithmetic<First, Second>>::type,
          Rest...> {};
template <class First, class Second, class... Rest>
  requires(!std::is_same_v<First, Second> && (complex_number<First> || complex_number<Second>))
struct common_number<First, Second, Rest...>
    : common_number<complex_of_both<First, Second>, Rest...> {};
template <class... Elems>
using common_of_numbers = typename common_number<std::remove_const_t<Elems>...>::type;

/// An array with elements of this type: the same one, or a converted copy.
template <class To, class Elem, int Rank>
array<const To, Rank> as_type(const array<Elem, Rank>& x) {
  if constexpr (std::is_same_v<std::remove_const_t<Elem>, To>) {
    return x.share();
  } else {
    array<To, Rank> made = make_expression<cast_elements<To>>(x);
    return made.share();
  }
}
/// All elements in C order, as NumPy's functions of one dimension take arrays of more.
template <class Elem, int Rank>
array<const Elem, 1> flat(const array<Elem, Rank>& x) {
  if constexpr (Rank == 1) return x.share();
  else return x.share().reshape(-1);
}
/// A type of sorted elements, of those of several arrays.
template <class... Elems>
struct sorted_type {
  static_assert(
      !(complex_number<std::remove_const_t<Elems>> || ...),
      "krait: complex numbers have no order: take kr::abs(z), kr::real(z) or kr::imag(z)");
  using type = common_of_numbers<Elems...>;
};
template <class... Elems>
using sorted_t = typename sorted_type<Elems...>::type;
/// The type that samples are computed in: floats keep theirs, narrow ones give float, integers
/// double.
template <class... Elems>
using sampled_t =
    std::conditional_t<is_float_v<sorted_t<Elems...>>,
                       std::conditional_t<sizeof(sorted_t<Elems...>) == 8, double, float>, double>;

}  // namespace krait::detail
