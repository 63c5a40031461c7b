// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the errors of fast mode are counted (docs/numbers.md): relative ones, in ULP, where the
// result is a normal number and not near one of the function's zeros; absolute ones elsewhere. Only
// normal numbers are arguments, and of sin, cos and tan those up to 100: the error of GPUs'
// instructions grows with the argument.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "reference.h"

namespace krait::accuracy {

/// Whether the function is 0 at other places than 0, so that a small absolute error is a large
/// relative one there.
inline bool has_zeros(const Reference& f) {
  constexpr std::string_view names[] = {"sin",   "cos", "tan",  "sinpi", "cospi",
                                        "tanpi", "log", "log2", "log10", "lgamma"};
  return std::find(std::begin(names), std::end(names), std::string_view(f.name)) != std::end(names);
}
inline bool grows_with_argument(const Reference& f) {
  constexpr std::string_view names[] = {"sin", "cos", "tan"};
  return std::find(std::begin(names), std::end(names), std::string_view(f.name)) != std::end(names);
}

enum class Counted { nowhere, relative, absolute };

template <class Float, class Wide>
Counted counted_in_fast_mode(const Reference& f, Float x, Float y, Wide exact) {
  if (!std::isnormal(x) || (f.arity == 2 && !std::isnormal(y))) return Counted::nowhere;
  if (grows_with_argument(f) && std::fabs(x) > Float(f.high)) return Counted::nowhere;
  const Wide least = has_zeros(f) ? Wide(0.25) : Wide(std::numeric_limits<Float>::min());
  return exact != exact || std::fabs(exact) >= least ? Counted::relative : Counted::absolute;
}

}  // namespace krait::accuracy
