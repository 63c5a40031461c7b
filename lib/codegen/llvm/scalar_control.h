// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions as basic blocks. Every branch target gets its phis when it is made, and each jump adds
// its operands, so the result is in SSA form at once.
#pragma once

#include <vector>

#include "codegen/llvm/scalar.h"

namespace krait::codegen::scalar {

class Calls;
class Lanes;
class Straight;

class Control : public Part {
 public:
  Control(Code& code, Target& target, Lanes& lanes, Calls& calls, Straight& straight)
      : Part(code), target_(target), lanes_(lanes), calls_(calls), straight_(straight) {}
  void body() { region(f_.body, nullptr, nullptr); }

 private:
  /// Where the results of an if or switch meet.
  struct Join {
    llvm::BasicBlock* block;
    std::vector<llvm::PHINode*> results;
    llvm::Value* before;  // lanes at the construct
    bool all_come;        // no thread jumps out of a loop around it
    // those that come here, where some do not and the others know of each other
    llvm::PHINode* lanes;
  };
  struct Loop {
    llvm::BasicBlock *header, *latch, *exit;
    std::vector<llvm::PHINode*> carried;  // in the header
    std::vector<llvm::PHINode*> next;     // in the latch
    std::vector<llvm::PHINode*> results;  // in the exit
    llvm::Value* before;                  // lanes at the loop
    // in the header, where trips differ and warp operations ask
    llvm::PHINode* lanes;
    llvm::Value* body_lanes;  // at the start of a trip
    llvm::Value* next_lanes;  // at the only place that continues
    // lanes that wait for each other behind the loop; null: they need not
    llvm::Value* gathered;
  };

  void region(ir::RegionId region, Join* join, Loop* loop);
  void lower_terminator(const ir::Inst& inst, Join* join, Loop* loop);
  void lower_if(const ir::Inst& inst, Loop* loop);
  void lower_switch(const ir::Inst& inst, Loop* loop);
  void lower_loop(const ir::Inst& inst);
  void lower_for(const ir::Inst& inst);
  void lower_grid_stride(const ir::Inst& inst);
  struct Counter {
    llvm::Value *first, *step, *bound;
    ir::Scalar param;
  };
  void lower_counted(const ir::Inst& inst, const Counter& counter);
  Loop open_loop(const ir::Inst& inst, llvm::BasicBlock* preheader);
  void close_loop(Loop& loop, const ir::Inst& inst, llvm::PHINode* index, llvm::Value* step);
  Join open_join(const ir::Inst& inst);
  void close_join(Join& join, const ir::Inst& inst);
  std::vector<llvm::PHINode*> phis(const std::vector<ir::ValueId>& of, llvm::BasicBlock* block);
  void bind_phis(std::vector<llvm::PHINode*>& phis, const ir::Inst& inst);

  Target& target_;
  Lanes& lanes_;
  Calls& calls_;
  Straight& straight_;
};

}  // namespace krait::codegen::scalar
