// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, fences and what orders accesses.
#pragma once

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Positions;
class Uses;

class Sync : public Part {
 public:
  Sync(Frame& frame, const Uses& uses, Positions& positions)
      : Part(frame), uses_(uses), positions_(positions) {}
  void barrier(spv::Scope execution);
  void fence(std::uint64_t scope);
  Id clock();
  /// barrier_count, _and, _or.
  Id block_vote(const ir::Inst& i);
  Id memory_scope(spv::Scope scope);

 private:
  Id semantics(bool views);

  const Uses& uses_;
  Positions& positions_;
  Id vote_ = 0;  // shared counter of votes
};

}  // namespace krait::codegen::spirv
