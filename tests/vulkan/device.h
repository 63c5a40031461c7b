// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Vulkan device of the tests, and SPIR-V made in this process.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "support/kernel_file.h"

namespace krait::test {

/// The device of the tests (lavapipe where no GPU is there), or null: then `why_no_device` says
/// why, and tests are skipped.
runtime::Device* device();
std::string why_no_device();

/// Skips tests where there is no device.
template <class Base>
class OnVulkan : public Base {
 protected:
  void SetUp() override {
    if (!device()) GTEST_SKIP() << why_no_device();
  }
};

/// The text of a module, valid; fails the test where it is not.
ir::Module parse_kernel(std::string_view text);
/// Compiles for the device, or for `target`; fails the test where that is not possible.
std::string compile(const ir::Module& module, std::string_view target = {});
/// Its SPIR-V as text.
std::string disassembled(const ir::Module& module, std::string_view target);

/// Empty, or how a final module differs on the device, as made for `target` where that is given,
/// from the interpreter.
std::string difference_on_device(ir::Module final, const ir::Launch& launch,
                                 std::vector<Argument> arguments, std::string_view target = {});

}  // namespace krait::test
