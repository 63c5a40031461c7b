// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's assembler, where it is found.
#pragma once

#include <string>

namespace krait::test {

struct Assembled {
  bool found = true;  // false: there is no ptxas on PATH
  int status = 0;
  std::string log;  // of ptxas -v
  /// Registers went to local memory, or the kernel has a stack.
  bool uses_stack() const;
};
Assembled assemble(const std::string& ptx, unsigned sm);

inline bool contains(const std::string& text, const char* part) {
  return text.find(part) != text.npos;
}
inline std::size_t count(const std::string& text, const char* what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace krait::test
