// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of tests/kernels by their names, and kernels that become such files.
#pragma once

#include <string>
#include <string_view>

#include "ir/text/kernel_file.h"
#include "support/runner.h"

namespace krait::test {

using ir::KernelFile;
using Case = KernelFile::Case;
using Choice = KernelFile::Chosen;

/// The file's text of one launch. `origin` is the first line: what made the kernel.
std::string write_kernel(const Kernel& kernel, std::string_view origin);

/// The file of tests/kernels with this name, without its ending.
KernelFile kernel_file(std::string_view name);
/// The module of such a file; `facts` are set where they are given.
ir::Module kernel_of(std::string_view name, const Choice& choice = {}, const ir::Facts& facts = {});

}  // namespace krait::test
