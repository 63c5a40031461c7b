// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of elements between types that a call has.
#pragma once

#include "algorithms/record/arrays.h"

namespace krait::host {

/// to = from, element by element, converted as C++ does. Extents are equal; elements are numbers.
void convert_elements(const any_array& from, const any_array& to);

}  // namespace krait::host
