// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of a program's own code, from its debug information: DWARF of any version, compressed,
// split, or in a file of its own. LLVM, which the plug-in holds anyway, reads it.
#pragma once

#include <string>

namespace krait::codegen {

/// `request` has a line each: an offset in hexadecimal digits, a blank, and the file of the program
/// or shared object. The result has a line each: line number and file of each frame, of the
/// innermost inlined function first, with tabs between; empty where nothing is known.
std::string find_lines(const std::string& request);

}  // namespace krait::codegen
