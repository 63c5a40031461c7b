// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts of a launch as words, for keys of code that outlives the process, and for what is read
// back of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/ir.h"

namespace krait::host {

/// " contiguous small": a blank before each.
std::string text_of(const ir::Facts& facts);
/// Nothing where a word is not known: a newer library knows more. Shapes of blocks (bricks) are not
/// read.
std::optional<ir::Facts> read_facts(std::string_view text);
/// Whether a launch of which `launch` holds may run code that takes `code` for granted.
bool holds(const ir::Facts& code, const ir::Facts& launch);
/// How many there are: the more code takes for granted, the better it is.
unsigned count_of(const ir::Facts& facts);

}  // namespace krait::host
