// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints: lines on stderr that tell where in the user's source a kernel is slow, or slow to compile,
// and what helps. KRAIT_HINTS=1 asks for all that are about the user's lines, KRAIT_HINTS=all for
// those about Krait's own kernels, too, which takes compilations: the folder of compiled kernels is
// left alone, and the best code comes first. Without the variable there are those that cost nothing
// to find, with KRAIT_HINTS=0 none.
#pragma once

#include <string>
#include <vector>

#include "runtime/backend.h"
#include "support/environment.h"

namespace krait::host {

using support::Hinting, support::hinting;

struct Hint {
  std::string kind;  // of one kind a source line gets one
  std::string file;  // empty: unknown
  unsigned line = 0;
  std::string text;
};

/// "file:line: krait: hint: text", where the file is known; else `what` stands for it. `level` is
/// "hint" or "warning".
std::string message(const char* level, const std::string& file, unsigned line,
                    const std::string& text, const std::string& what);
/// Of a kernel, as lines.
std::string text_of(const std::vector<Hint>& hints, const std::string& what);
/// Those of lines of the user's, of a kernel that was made at `where`; with KRAIT_HINTS=all those
/// of Krait's own lines, too.
std::vector<Hint> of_user(std::vector<Hint> hints, const std::string& where);
/// Says what this process has not said of that source line.
void give(const std::vector<Hint>& hints, const std::string& what);

/// What the code generator told (codegen.h).
std::vector<Hint> read_hints(const std::string& lines);
/// What a driver says of code that it made: none where all of a thread's values lie in registers
/// and nothing was remarked. `where`: the kernel's "file:line".
std::vector<Hint> hints_of(const runtime::Executable::Attributes& attributes,
                           const std::string& where);

}  // namespace krait::host
