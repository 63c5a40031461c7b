// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A SPIR-V module under construction, by its sections. Knows the binary form and nothing of Krait's
// IR.
#pragma once

#include "codegen/spirv/module/code.h"
#include "codegen/spirv/module/globals.h"
#include "codegen/spirv/module/head.h"

namespace krait::codegen::spirv {

struct Module {
  explicit Module(Dialect d) : dialect(d) {}

  /// All words.
  Words finish(std::string_view kernel_name, std::string_view entry_name);

  const Dialect dialect;
  // the word where the last bool begins that a launch chooses, once finished; 0: there is none
  std::size_t spec_bool_at = 0;
  Ids ids;
  Head head{dialect, ids};
  Globals globals{dialect, ids, head};
  Code code{ids, globals};
};

}  // namespace krait::codegen::spirv
