// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Basic blocks, branches and phis of a function under construction.
#pragma once

#include <utility>
#include <vector>

#include "codegen/spirv/module/module.h"

namespace krait::codegen::spirv {

class Blocks {
 public:
  explicit Blocks(Module& m) : m_(m) {}

  Id label() { return m_.ids.next(); }
  /// The one that is appended to.
  Id block() const { return block_; }
  void begin(Id label);
  void begin_first() { block_ = m_.code.first_block(); }
  void branch(Id to) { m_.code.emit_void(spv::Op::OpBranch, {to}); }
  void branch(Id condition, Id yes, Id no) {
    m_.code.emit_void(spv::Op::OpBranchConditional, {condition, yes, no});
  }
  void selection_merge(Id merge) { m_.code.emit_void(spv::Op::OpSelectionMerge, {merge, 0}); }
  void loop_merge(Id merge, Id next, bool may_unroll = true) {
    using M = spv::LoopControlMask;
    m_.code.emit_void(spv::Op::OpLoopMerge,
                      {merge, next, std::uint32_t(may_unroll ? M::MaskNone : M::DontUnroll)});
  }

  using Incoming = std::vector<std::pair<Id, Id>>;  // value, block
  Id phi(Id type, const Incoming& from);
  void phi_as(Id result, Id type, const Incoming& from);

  /// `fast_way()` where the condition holds, else `slow_way()`.
  template <class Fast, class Slow>
  Id either_way(Id type, Id condition, Fast&& fast_way, Slow&& slow_way) {
    Id yes = label(), no = label(), after = label();
    selection_merge(after);
    branch(condition, yes, no);
    begin(yes);
    Id quick = fast_way();
    const Id from_quick = block();
    branch(after);
    begin(no);
    Id slow = slow_way();
    const Id from_slow = block();
    branch(after);
    begin(after);
    return phi(type, {{quick, from_quick}, {slow, from_slow}});
  }

 private:
  Module& m_;
  Id block_ = 0;
};

}  // namespace krait::codegen::spirv
