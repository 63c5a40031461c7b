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

}  // namespace krait::test
