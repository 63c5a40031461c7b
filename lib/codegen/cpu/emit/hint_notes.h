// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emitter notes for hints while it lowers: nothing, where none are asked for.
#pragma once

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Addresses;
class Arguments;
struct Address;
struct Fission;

class HintNotes : public Part {
 public:
  HintNotes(const Common& common, const Arguments& arguments, const Addresses& addresses)
      : Part(common), arguments_(arguments), addresses_(addresses) {}
  /// `a`: where the elements of a load or store were found to lie; null: side by side.
  void note_access(const ir::Inst& inst, const Address* a);
  void note_pure(const ir::Inst& inst);
  void note_atomic(const ir::Inst& inst, const Address& a);
  /// A branch whose sides run in turn.
  void note_branch(const ir::Inst& inst);
  void note_loop(const ir::Inst& inst);
  /// An innermost loop over memory that one thread of its vector runs.
  void note_lone_loop(const ir::Inst& inst);
  /// A function that takes one thread at a time.
  void note_call_by_lane(const ir::Inst& inst);
  /// Barriers that the block's gangs are cut at: what each of them keeps of a thread.
  void note_barriers(const Fission& plan);

 private:
  const Arguments& arguments_;
  const Addresses& addresses_;
};

}  // namespace krait::codegen::cpu
