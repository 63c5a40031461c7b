// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of a warp, which is a Vulkan subgroup; OpenCL's are not used.
#pragma once

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Warp : public Part {
 public:
  explicit Warp(Frame& frame) : Part(frame) {}
  Id size();
  Id lane() { return builtin(spv::BuiltIn::SubgroupLocalInvocationId); }
  Id ballot(const ir::Inst& i);
  Id vote(const ir::Inst& i);
  Id shuffle(const ir::Inst& i);

 private:
  Id builtin(spv::BuiltIn which);
};

}  // namespace krait::codegen::spirv
