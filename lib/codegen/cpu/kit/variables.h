// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a debugger shows of a kernel: each value of the final IR as a variable, a vector of the
// gang's threads where they differ, and of values that are linear in the lane that of the gang's
// first thread. No instruction is made for it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/cpu/kit/lowered.h"
#include "ir/ir.h"

namespace llvm {
class DILocalScope;
class DILocalVariable;
class DIType;
class IRBuilderBase;
}  // namespace llvm

namespace krait::codegen {
class DebugLines;
}

namespace krait::codegen::cpu {

class Values;
struct Shape;

class Variables {
 public:
  Variables(const ir::Function& f, const Shape& shape, DebugLines& lines,
            llvm::IRBuilderBase& builder)
      : f_(f), shape_(shape), lines_(lines), b_(builder) {}
  Variables(const Variables&) = delete;

  /// The value was lowered. It is told by the next `tell`: here more phis may follow.
  void note(ir::ValueId v) { noted_.push_back(v); }
  /// At the builder's place, which is behind all phis.
  void tell(const Values& values);

 private:
  std::string name_of(ir::ValueId v) const;
  llvm::DIType* type_of(ir::ValueId v, bool lanes);
  llvm::DILocalVariable* variable(ir::ValueId v, bool lanes);
  void tell_one(ir::ValueId v, const Lowered& x);

  const ir::Function& f_;
  const Shape& shape_;
  DebugLines& lines_;
  llvm::IRBuilderBase& b_;
  std::vector<ir::ValueId> noted_;
  // of all lanes, or of one number
  std::map<std::pair<ir::ValueId, bool>, llvm::DILocalVariable*> known_;
  llvm::DILocalScope* known_in_ = nullptr;
  std::map<std::string, ir::ValueId> named_;
};

}  // namespace krait::codegen::cpu
