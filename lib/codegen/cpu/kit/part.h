// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the emitter have in common: the function, its values and the lanes that run.
#pragma once

#include "codegen/cpu/kit/code.h"
#include "codegen/cpu/kit/lanes.h"
#include "codegen/cpu/kit/values.h"

namespace krait::codegen::cpu {

struct Common {
  Code& code;
  Values& values;
  Lanes& lanes;
};

class Part {
 public:
  Part(const Part&) = delete;

 protected:
  explicit Part(const Common& common)
      : code_(common.code),
        values_(common.values),
        lanes_(common.lanes),
        b_(code_.b),
        f_(code_.f),
        shape_(code_.shape),
        arith_(code_.arith),
        d_(code_.d),
        uses_(code_.uses) {}
  ~Part() = default;

  Code& code_;
  Values& values_;
  Lanes& lanes_;
  llvm::IRBuilderBase& b_;
  const ir::Function& f_;
  const Shape& shape_;
  Arithmetic& arith_;
  const Divergence& d_;
  const std::vector<std::uint32_t>& uses_;  // by ValueId
};

}  // namespace krait::codegen::cpu
