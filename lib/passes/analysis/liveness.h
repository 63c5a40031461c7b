// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function needs of itself, by marking from roots: an instruction with what decides whether
// it is reached, and the values that it uses with all that they are made of. Joins are marked value
// by value.
#pragma once

#include "ir/calls.h"
#include "passes/rewrite.h"

namespace krait::passes {

class Liveness {
 public:
  explicit Liveness(const ir::Function& f);

  /// Memory that only this function's own loads can see.
  bool is_private(ir::ValueId v) const;
  /// A write to private memory, which is live where that memory is read.
  void write(ir::InstId i) { writers_[f_.insts[i].operands[0]].push_back(i); }
  /// The instruction stays, and with it what decides whether it is reached.
  void mark(ir::InstId i);
  void use(ir::ValueId v);
  void use_all(const ir::Inst& inst) {
    for (const ir::ValueId v : inst.operands) use(v);
  }
  /// Behind the roots: what follows from them.
  void follow_all();

  bool live(ir::InstId i) const { return live_[i]; }
  bool used(ir::ValueId v) const { return used_[v]; }
  const LoopExits& exits() const { return exits_; }

 private:
  void number(ir::RegionId r);
  void mark_owner(ir::InstId exit);
  void follow(ir::ValueId v);
  void follow_param(ir::ValueId v, ir::InstId loop);
  void use_carried(ir::InstId loop, std::size_t k);

  const ir::Function& f_;
  LoopExits exits_;
  std::vector<ir::InstId> owner_;                 // the instruction whose region holds it
  std::vector<bool> live_, used_;                 // instructions, values
  std::vector<std::vector<ir::InstId>> writers_;  // by value of a private array or slot
  // by value: which result, or which carried parameter
  std::vector<std::uint32_t> index_;
  std::vector<ir::ValueId> work_;
};

}  // namespace krait::passes
