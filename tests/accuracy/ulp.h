// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error of a result in units in the last place (docs/numbers.md): |result - exact| /
// ulp(exact), where ulp(x) is the distance of neighbouring numbers in the binade of x, and that of
// the smallest normal numbers below them. An infinite result counts as the first number past the
// largest.
#pragma once

#include <cmath>
#include <limits>

namespace krait::accuracy {

inline constexpr double wrong = std::numeric_limits<double>::infinity();

/// `exact` is the function's value rounded to Wide, which has at least ten bits more than Float.
template <class Float, class Wide>
double ulp_error(Float result, Wide exact) {
  using Limits = std::numeric_limits<Float>;
  if (exact != exact) return result != result ? 0 : wrong;
  if (result != result) return wrong;
  const Wide past = std::ldexp(Wide(1), Limits::max_exponent);
  if (std::fabs(exact) >= past)
    return std::isinf(result) && (result > 0) == (exact > 0) ? 0
           : exact == Wide(result)                           ? 0
                                                             : wrong;
  const Wide value = std::isinf(result) ? std::copysign(past, Wide(result)) : Wide(result);
  if (value == exact) return 0;
  int exponent = Limits::min_exponent;
  if (exact != 0) {
    std::frexp(exact, &exponent);
    if (exponent < Limits::min_exponent) exponent = Limits::min_exponent;
  }
  return double(std::ldexp(std::fabs(value - exact), Limits::digits - exponent));
}

}  // namespace krait::accuracy
