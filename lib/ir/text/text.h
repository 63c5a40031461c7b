// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form (.kir): print and parse are inverse. docs/ir.md describes it.
#pragma once

#include <string>
#include <string_view>

#include "ir/ir.h"

namespace krait::ir {

struct PrintOptions {
  bool names = true;       // the functions' names; without them the text is the kernel's identity
  bool locations = false;  // ` ; file:line` after each instruction
};

/// Canonical text of a module, starting `kir 1`. Values are numbered in order of definition.
std::string print(const Module& module, PrintOptions options = {});
std::string print(const Function& function, PrintOptions options = {});
/// The line of one instruction, without its regions, with the numbers that `print` gives: for
/// messages. Calls show names where the module is given.
std::string print_inst(const Function& function, InstId inst, const Module* module = nullptr);
std::string text_of(const Type& type);

/// Regions nest no deeper than this: parse and verify refuse more, so that everybody may walk the
/// tree by recursion.
inline constexpr unsigned max_region_depth = 500;
/// Parameters that a call gives: verify refuses more. What is hidden behind them is not counted.
inline constexpr unsigned max_given_params = 255;
/// Bytes of a shared or local array: verify refuses more.
inline constexpr std::uint64_t max_array_bytes = std::uint64_t(1) << 31;

struct ParseResult {
  Module module;
  std::string error;  // empty: parsed; else "line:column: what is wrong"
};
ParseResult parse(std::string_view text);

/// Empty when every rule of ops.def and the invariants of ir.h hold; else what is broken, one line
/// each.
std::string verify(const Module& module);

/// Reorders pure instructions by walk of the operands of effects, drops dead ones and renumbers
/// everything, so that the order in which the host compiler evaluated operands does not show.
void canonicalise(Module& module);

}  // namespace krait::ir
