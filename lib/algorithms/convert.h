// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of elements between types that a call has.
#pragma once

#include "krait/algorithm/detail/any_array.h"

namespace krait::host {

/// to = from, element by element, converted as C++ does. Extents are equal; elements are numbers.
void convert_elements(const detail::any_array& from, const detail::any_array& to);

}  // namespace krait::host
