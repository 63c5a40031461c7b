// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element type that several arrays have in common.
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

}  // namespace krait::detail
