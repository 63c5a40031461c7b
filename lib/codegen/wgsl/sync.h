// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers. WGSL refuses a barrier where it does not see that all threads of the block come to it.
// What Krait has proved to be equal in the block and WGSL cannot see (what comes from memory that
// the kernel writes) goes through workgroupUniformLoad, which tells.
#pragma once

#include <set>

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

class Sync : public Part {
 public:
  explicit Sync(Frame& frame);
  void barrier();
  /// barrier_count, _and, _or.
  void block_vote(const ir::Inst& i);
  /// The operand that decides where threads go: as it is, or as the whole block has it.
  Expr decision(const ir::Inst& i);
  [[noreturn]] void fence() const;

 private:
  bool writes_views(const ir::Inst& i) const;
  bool writes_before_barrier(ir::RegionId r, bool& wrote) const;
  bool orders_views() const;
  void find_decisions(ir::RegionId r, std::vector<const ir::Inst*>& around, bool behind);
  bool only_read(ir::ValueId v) const;
  Expr of_the_block(Scalar s, const Expr& e);

  bool any_barrier_ = false;
  std::set<const ir::Inst*> with_barrier_;  // what has regions, and a barrier there
  std::set<const ir::Inst*> shown_;         // whose decision WGSL has to be shown
  std::string vote_;
  std::optional<bool> orders_;  // whether barriers order views; found at the first
};

}  // namespace krait::codegen::wgsl
