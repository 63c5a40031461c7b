// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of code made at run time, as profilers want them: read from the object file that
// debuggers get.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace krait::runtime::cpu {

/// Code from here to the next one is of this line.
struct CodeLine {
  std::uint64_t at;  // from the begin of the code
  unsigned line;
  std::string file;
};

/// In the order of the code. `object` is an ELF object whose sections' addresses count from the
/// code's begin, with a line table of DWARF 2 to 4. Empty where it has none, or one that is broken:
/// profilers show names alone then.
std::vector<CodeLine> lines_of(std::span<const std::byte> object);

}  // namespace krait::runtime::cpu
