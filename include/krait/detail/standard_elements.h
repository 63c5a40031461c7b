// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of std with an element of an array on the host, where std's own cannot take it: its
// templates convert no argument, and `std::pow(x(0), 2.0)` is ambiguous among its overloads. These
// are Krait's. Overload resolution leaves them out for all other arguments.
#pragma once

#include <krait/array_element.h>
#include <krait/math.h>
#include <krait/math_utilities.h>

namespace krait::detail {
template <class First, class... Rest>
inline constexpr bool of_one_float =
    std::is_floating_point_v<First> && (std::is_same_v<First, Rest> && ...);
/// An overload of std's fits no argument better than the others.
template <class... Types>
concept ambiguous_elements = (unread_number<Types> || ...) && (host_number<Types> && ...) &&
                             !of_one_float<number_t<Types>...>;
template <class... Types>
concept among_elements = (unread_number<Types> || ...) && (host_number<Types> && ...);
}  // namespace krait::detail

// Undefined below.
#define KRAIT_STD_OVERLOAD(name) KRAIT_STD_OF_ELEMENTS(name, ambiguous_elements)
#define KRAIT_STD_TEMPLATE(name) KRAIT_STD_OF_ELEMENTS(name, among_elements)
#define KRAIT_STD_OF_ELEMENTS(name, concept_name)       \
  template <class... Types>                             \
    requires krait::detail::concept_name<Types...>      \
  auto name(const Types&... x) {                        \
    return krait::name(krait::detail::as_number(x)...); \
  }
// Complex numbers: std's own, of the number.
#define KRAIT_STD_COMPLEX(name)                  \
  template <class Type>                          \
    requires krait::detail::unread_complex<Type> \
  auto name(const Type& z) {                     \
    return name(krait::detail::as_number(z));    \
  }
namespace std {
KRAIT_STD_OVERLOAD(sqrt)
KRAIT_STD_OVERLOAD(cbrt)
KRAIT_STD_OVERLOAD(exp)
KRAIT_STD_OVERLOAD(exp2)
KRAIT_STD_OVERLOAD(log)
KRAIT_STD_OVERLOAD(log2)
KRAIT_STD_OVERLOAD(log10)
KRAIT_STD_OVERLOAD(log1p)
KRAIT_STD_OVERLOAD(sin)
KRAIT_STD_OVERLOAD(cos)
KRAIT_STD_OVERLOAD(tan)
KRAIT_STD_OVERLOAD(atan)
KRAIT_STD_OVERLOAD(atan2)
KRAIT_STD_OVERLOAD(pow)
KRAIT_STD_OVERLOAD(hypot)
KRAIT_STD_OVERLOAD(fmod)
KRAIT_STD_OVERLOAD(remainder)
KRAIT_STD_OVERLOAD(copysign)
KRAIT_STD_OVERLOAD(fdim)
KRAIT_STD_OVERLOAD(fma)
KRAIT_STD_OVERLOAD(isnan)
KRAIT_STD_OVERLOAD(isinf)
KRAIT_STD_OVERLOAD(isfinite)
KRAIT_STD_TEMPLATE(min)
KRAIT_STD_TEMPLATE(max)
KRAIT_STD_COMPLEX(real)
KRAIT_STD_COMPLEX(imag)
KRAIT_STD_COMPLEX(conj)
KRAIT_STD_COMPLEX(abs)
KRAIT_STD_COMPLEX(norm)
KRAIT_STD_COMPLEX(arg)
KRAIT_STD_COMPLEX(exp)
KRAIT_STD_COMPLEX(log)
KRAIT_STD_COMPLEX(sqrt)
template <class Type, class Low, class High>
  requires krait::detail::among_elements<Type, Low, High>
auto clamp(const Type& x, const Low& low, const High& high) {
  using krait::detail::as_number;
  return krait::min(krait::max(as_number(x), as_number(low)), as_number(high));
}
}  // namespace std
#undef KRAIT_STD_OVERLOAD
#undef KRAIT_STD_TEMPLATE
#undef KRAIT_STD_OF_ELEMENTS
#undef KRAIT_STD_COMPLEX
