// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kr::all is two things: all of a dimension in a slice, and a function of vectors and arrays.
#pragma once

#include <krait/detail/cpp20.h>

namespace krait {
namespace detail {

/// Overloads of `every` take it first: found in this namespace by it, wherever they are declared.
struct all_tag {};
struct all_type {
  template <class Type, class... Options>
  auto operator()(const Type& x, const Options&... options) const {
    return every(all_tag(), x, options...);
  }
};

}  // namespace detail

/// All of a dimension, NumPy's `:`, as in `a(2, kr::all)`; and `kr::all(v)`: no component of a
/// vector, no element of an array is 0.
inline constexpr detail::all_type all{};

}  // namespace krait
