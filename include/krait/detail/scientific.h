// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of composed functions (krait/math_utilities.h): their types, and the parts of a
// floating-point number.
#pragma once

#include <krait/control.h>
#include <krait/math.h>

namespace krait::detail {

template <class Type>
using kept_real = std::conditional_t<traced<Type>, value<real_t<storage_type_t<Type>>>,
                                     real_t<storage_type_t<Type>>>;
template <class Left, class Right>
using kept_real2 = std::conditional_t<traced<Left> || traced<Right>, value<real_of<Left, Right>>,
                                      real_of<Left, Right>>;
/// A Type of Wanted, traced where Type is.
template <class Type, class Wanted>
using kept_as = std::conditional_t<traced<Type>, value<Wanted>, Wanted>;

/// x as a Kept, a plain or traced real: integers become doubles in so many words, which
/// -Wconversion asks for.
template <class Kept, operand_type Type>
Kept as_real(const Type& x) {
  return Kept(cast<storage_type_t<Kept>>(x));
}

/// The binary format of float or double.
template <class Float>
struct format {
  using integer = std::conditional_t<sizeof(Float) == 4, std::int32_t, std::int64_t>;
  static constexpr int digits = sizeof(Float) == 4 ? 24 : 53, stored = digits - 1,
                       bias = sizeof(Float) == 4 ? 127 : 1023;
  static constexpr integer exponent_mask = integer(2 * bias + 1) << stored;
  static constexpr Float smallest_normal = sizeof(Float) == 4 ? Float(0x1p-126) : Float(0x1p-1022);
  static constexpr Float infinity = Float(__builtin_huge_valf());
  static constexpr Float power(int n) {
    return from_bits<Float>(std::uint64_t(n + bias) << stored);
  }
};

template <class Condition, class Type>
Type choose(const Condition& c, const Type& x, const Type& y) {
  if constexpr (traced<Type>) {
    using plain_type = typename Type::traced_type;
    return Type(apply(op::Select, scalar_of<plain_type>, node_of(c), node_of(x), node_of(y)));
  } else {
    return c ? x : y;
  }
}

/// x = significand 2^exponent, the significand in [1, 2), for finite x that is not 0.
template <class Type, class Float>
struct scientific {
  kept_as<Type, typename format<Float>::integer> exponent, significand_bits;

  explicit scientific(const kept_as<Type, Float>& x)
      : scientific(x, choose(abs(x) < kept_as<Type, Float>(format<Float>::smallest_normal),
                             kept_as<Type, Float>(x * power), x)) {}

 private:
  using form = format<Float>;
  using integer = kept_as<Type, typename form::integer>;
  static constexpr Float power = form::power(form::digits);
  scientific(const kept_as<Type, Float>& x, const kept_as<Type, Float>& normal)
      : exponent(((bitcast<typename form::integer>(normal) & integer(form::exponent_mask)) >>
                  form::stored) -
                 choose(abs(x) < kept_as<Type, Float>(form::smallest_normal),
                        integer(form::bias + form::digits), integer(form::bias))),
        significand_bits((bitcast<typename form::integer>(normal) & integer(~form::exponent_mask)) |
                         integer(typename form::integer(form::bias) << form::stored)) {}
};

}  // namespace krait::detail
