// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raw kernels: the user gives the code in the target's own language, and a kernel of the IR has its
// parameters. Each target has a function that makes of both what it makes of a recorded kernel, and
// refuses code that takes other arguments than the block has (ir/abi.h). docs/raw-kernels.md tells
// users how code takes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/abi.h"

namespace krait::codegen {

struct RawText {
  std::string_view text;
  std::string_view entry;  // the kernel's name in it
};

/// An item of the argument block.
struct RawItem {
  ir::ArgumentSlot slot;
  bool is_float;
  // "extent 0 of parameter 2 (view<f32, 1, const>)": numbers of parameters begin with 1
  std::string what;
  /// Its kind in words: "an integer of 8 bytes".
  std::string type() const;
};
std::vector<RawItem> raw_items(const ir::Function& kernel);
/// All of them for messages, a line each.
std::string list_of(const std::vector<RawItem>& items);

/// Throws Failure 1 that lists the entries that there are.
[[noreturn]] void no_entry(std::string_view language, std::string_view entry,
                           const std::vector<std::string>& all);

}  // namespace krait::codegen
