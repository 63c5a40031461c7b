// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module does with its arrays. A called function's arrays are those of its callers.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/ir.h"

namespace krait::codegen::wgsl {

struct Use {
  // part_written: less than a word of 32 bits
  bool atomic = false, part_written = false, read = false, written = false;
  bool any() const { return read || written; }
  void join(const Use& other);
};

class Uses {
 public:
  explicit Uses(const ir::Module& module);
  const Use& of(std::size_t function, ir::ValueId array) const { return all_[function][array]; }

 private:
  std::vector<std::vector<Use>> all_;
};

}  // namespace krait::codegen::wgsl
