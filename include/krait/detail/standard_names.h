// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of std on traced values: never usable, and the message names Krait's own. Overload
// resolution leaves them out for all other arguments.
#pragma once

#include <krait/value.h>

namespace krait::detail {
template <class Type>
concept traced_plain = traced<Type> && plain<typename Type::traced_type>;
}  // namespace krait::detail

// Undefined below.
#define KRAIT_REFUSED_STD(name, instead)                                                       \
  template <class First, class... Rest>                                                        \
    requires(krait::detail::traced_plain<First> || (krait::detail::traced_plain<Rest> || ...)) \
  auto name(const First& x, const Rest&...) {                                                  \
    static_assert(krait::detail::always_false<First>,                                          \
                  "krait: std::" #name                                                         \
                  " is for plain numbers: on traced values write kr::" instead);               \
    return x;                                                                                  \
  }
#define KRAIT_REFUSED_STD_SAME(name) KRAIT_REFUSED_STD(name, #name)
namespace std {
KRAIT_REFUSED_STD_SAME(sqrt)
KRAIT_REFUSED_STD_SAME(cbrt)
KRAIT_REFUSED_STD_SAME(exp)
KRAIT_REFUSED_STD_SAME(exp2)
KRAIT_REFUSED_STD_SAME(expm1)
KRAIT_REFUSED_STD_SAME(log)
KRAIT_REFUSED_STD_SAME(log2)
KRAIT_REFUSED_STD_SAME(log10)
KRAIT_REFUSED_STD_SAME(log1p)
KRAIT_REFUSED_STD_SAME(sin)
KRAIT_REFUSED_STD_SAME(cos)
KRAIT_REFUSED_STD_SAME(tan)
KRAIT_REFUSED_STD_SAME(asin)
KRAIT_REFUSED_STD_SAME(acos)
KRAIT_REFUSED_STD_SAME(atan)
KRAIT_REFUSED_STD_SAME(atan2)
KRAIT_REFUSED_STD_SAME(sinh)
KRAIT_REFUSED_STD_SAME(cosh)
KRAIT_REFUSED_STD_SAME(tanh)
KRAIT_REFUSED_STD_SAME(asinh)
KRAIT_REFUSED_STD_SAME(acosh)
KRAIT_REFUSED_STD_SAME(atanh)
KRAIT_REFUSED_STD_SAME(erf)
KRAIT_REFUSED_STD_SAME(erfc)
KRAIT_REFUSED_STD_SAME(tgamma)
KRAIT_REFUSED_STD_SAME(lgamma)
KRAIT_REFUSED_STD_SAME(pow)
KRAIT_REFUSED_STD_SAME(hypot)
KRAIT_REFUSED_STD_SAME(fmod)
KRAIT_REFUSED_STD_SAME(remainder)
KRAIT_REFUSED_STD_SAME(copysign)
KRAIT_REFUSED_STD_SAME(floor)
KRAIT_REFUSED_STD_SAME(ceil)
KRAIT_REFUSED_STD_SAME(trunc)
KRAIT_REFUSED_STD_SAME(round)
KRAIT_REFUSED_STD_SAME(rint)
KRAIT_REFUSED_STD_SAME(fma)
KRAIT_REFUSED_STD_SAME(isnan)
KRAIT_REFUSED_STD_SAME(isinf)
KRAIT_REFUSED_STD_SAME(isfinite)
KRAIT_REFUSED_STD_SAME(isnormal)
KRAIT_REFUSED_STD_SAME(signbit)
KRAIT_REFUSED_STD_SAME(ldexp)
KRAIT_REFUSED_STD_SAME(frexp)
KRAIT_REFUSED_STD_SAME(modf)
KRAIT_REFUSED_STD_SAME(logb)
KRAIT_REFUSED_STD_SAME(fdim)
KRAIT_REFUSED_STD_SAME(nextafter)
KRAIT_REFUSED_STD_SAME(popcount)
KRAIT_REFUSED_STD_SAME(countl_zero)
KRAIT_REFUSED_STD_SAME(countr_zero)
KRAIT_REFUSED_STD_SAME(rotl)
KRAIT_REFUSED_STD_SAME(rotr)
KRAIT_REFUSED_STD_SAME(bit_width)
KRAIT_REFUSED_STD_SAME(bit_ceil)
KRAIT_REFUSED_STD_SAME(bit_floor)
KRAIT_REFUSED_STD_SAME(has_single_bit)
KRAIT_REFUSED_STD_SAME(abs)
KRAIT_REFUSED_STD(nearbyint, "rint")
KRAIT_REFUSED_STD(lerp, "mix")
KRAIT_REFUSED_STD(fabs, "abs")
KRAIT_REFUSED_STD(fmin, "min")
KRAIT_REFUSED_STD(fmax, "max")
KRAIT_REFUSED_STD_SAME(min)
KRAIT_REFUSED_STD_SAME(max)
KRAIT_REFUSED_STD_SAME(clamp)
}  // namespace std
#undef KRAIT_REFUSED_STD_SAME
#undef KRAIT_REFUSED_STD

namespace std {
// With std's own parameters, which are preferred to those above where both operands are of one
// type.
template <krait::detail::traced_plain Type>
const Type& min(const Type& x, const Type&) {
  static_assert(krait::detail::always_false<Type>,
                "krait: std::min is for plain numbers: on traced values write kr::min");
  return x;
}
template <krait::detail::traced_plain Type>
const Type& max(const Type& x, const Type&) {
  static_assert(krait::detail::always_false<Type>,
                "krait: std::max is for plain numbers: on traced values write kr::max");
  return x;
}
template <krait::detail::traced_plain Type>
const Type& clamp(const Type& x, const Type&, const Type&) {
  static_assert(krait::detail::always_false<Type>,
                "krait: std::clamp is for plain numbers: on traced values write kr::clamp");
  return x;
}
template <krait::detail::traced_plain Type>
// two elements, which are temporaries; two of kr::var are std::swap's own
void swap(Type&&, Type&&) {
  static_assert(krait::detail::always_false<Type>,
                "krait: std::swap takes no elements of a view: write kr::swap(x[i], x[j])");
}
}  // namespace std
