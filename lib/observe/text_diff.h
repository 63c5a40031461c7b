// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a pass changed in a text of the IR, line by line. Names of values are numbers that move with
// every new instruction: lines are the same where they differ in those alone.
#pragma once

#include <string>
#include <string_view>

namespace krait::host {

/// The lines of `to`, each behind two blanks or "+ " where it is new, and those of `from` that are
/// gone behind "- ". With `short_` of what stayed only two lines around what did not, and a line "
/// …" for the rest.
std::string text_diff(std::string_view from, std::string_view to, bool short_);

}  // namespace krait::host
