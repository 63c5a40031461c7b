// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete cosine transforms of rows.
#pragma once

#include "algorithms/record/arrays.h"

namespace krait::detail {

struct cosine_form {
  int type = 0;  // from 1 to 4, as SciPy numbers them; 0: none
  bool inverse = false, ortho = false;
};
template <class Real>
struct cosine_of {
  /// Rows of numbers, cut or continued by zeros, to rows of as many as `out` has.
  static void rows(const any_array& x, const any_array& out, const cosine_form& form, double scale);
};

}  // namespace krait::detail
