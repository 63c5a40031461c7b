// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code of kernels of tests/kernels holds on the CPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/kernel_file.h"
#include "support/plugin.h"

namespace krait::test {

/// Targets that this machine runs: every level it has, narrow shapes, and the code of first
/// launches.
std::vector<std::string> targets();

/// Final IR of such a kernel on the CPU.
ir::Module lowered(std::string_view name, const Choice& choice, const ir::Facts& facts);
/// Its code as LLVM writes it; fails the test where there is none.
std::string llvm_of(std::string_view name, const Choice& choice, const ir::Facts& facts,
                    const std::string& target);

}  // namespace krait::test
