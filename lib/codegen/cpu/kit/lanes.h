// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lanes run what is lowered now. Control flow that diverges becomes masks: a jump takes its
// lanes out of `active`, and what follows runs for the others if there are any.
//
// Wherever an instruction is lowered at least one lane is active (after a jump that may take the
// last one there is a branch), so uniform operations need no mask; no value is poison in any lane,
// so masks are plain `and`s.
#pragma once

#include <utility>
#include <vector>

#include "codegen/cpu/kit/code.h"
#include "codegen/cpu/kit/lowered.h"
#include "codegen/cpu/kit/values.h"

namespace krait::codegen::cpu {

/// What holds of the lanes at the place that is lowered.
struct LaneState {
  Mask active;
  Mask threads;                      // what the gang began with: lanes that have a thread
  const ir::Inst* parted = nullptr;  // what took lanes out of active; null: where threads end
  // By lane of the gang: active holds lanes of one and the same number at most, by the ifs around;
  // empty: any lanes.
  std::vector<unsigned> together = {};
  static constexpr unsigned never = ~0u;  // of a lane that is not active
  /// Whether no two lanes have one number.
  static bool are_one(const std::vector<unsigned>& together);
  bool masked_copy = false;  // of an if that has another one for whole gangs
  bool some = true;          // active is known to hold a lane
  bool tail = false;         // nothing but the latch follows in the innermost loop
};

class Lanes : public LaneState {
 public:
  /// Gives the state back as it was, where it goes out of scope.
  class Scope {
   public:
    explicit Scope(Lanes& lanes) : lanes_(lanes), before_(lanes) {}
    Scope(const Scope&) = delete;
    ~Scope() { static_cast<LaneState&>(lanes_) = std::move(before_); }

   private:
    Lanes& lanes_;
    LaneState before_;
  };

  Lanes(Code& code, Values& values);

  /// Whether one lane at most is active, by the ifs around.
  bool one_lane() const;
  /// No lane with a thread is missing.
  bool everyone() const { return active.all() || active.parts == full.parts; }
  /// No thread of the gang waits or has left.
  bool all_threads() const { return everyone() || active.parts == threads.parts; }
  V mask_part(const Mask& m, unsigned p) const;
  V no_lane() const;
  V every_lane() const;
  Mask both(const Mask& a, const Mask& b);
  /// Lanes but for a part of them: of a comparison of two registers the machine has one form, and
  /// LLVM would make a second of its opposite.
  Mask others(const Mask& of, const Mask& part);
  Mask either(const Mask& a, const Mask& b);
  Mask join_masks(llvm::ArrayRef<std::pair<Block, Mask>> edges);
  V any(const Mask& m);
  /// Whether all lanes with a thread are in it.
  V every(const Mask& m);
  V mask_bits(V part);
  /// Its lanes, as a number of 32 bits.
  V count(V part);
  /// Whether these are the same lanes, as far as is easily seen.
  bool same(const Mask& a, const Mask& b) const;
  /// The lanes before so many threads from the gang's first.
  V lane_mask(unsigned part, V remaining);
  /// The value of the first or, under a mask, the last active lane.
  V first_active(ir::ValueId v);
  V last_active(ir::ValueId v);
  /// The active lanes as bits.
  std::vector<V> active_words();
  V active_bits();

  Mask full;  // what has threads of a whole gang, whose lanes are known

 private:
  Code& code_;
  Values& values_;
  llvm::IRBuilderBase& b_;
  const Shape& shape_;
};

}  // namespace krait::codegen::cpu
