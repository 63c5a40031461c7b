// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf's conversions as places of a text of the library fmt, which is all that the IR knows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace krait::trace {

/// Whether the text is printf's: it has a % and no {…}. {{ and }} are braces in both kinds.
bool is_printf_text(const std::string& text);

struct PrintfText {
  std::string text;               // a text of fmt
  std::vector<ir::Scalar> types;  // what each value is converted to first
  std::string wrong;              // empty, or why the text does not fit the values
};

/// What prints as C's printf does values of these types. The types are known, so that h, l, ll, z,
/// j and t say nothing.
PrintfText of_printf(const std::string& text, std::span<const ir::Scalar> types);

}  // namespace krait::trace
