// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that are no control flow: each goes to the part of the emitter that lowers it.
#pragma once

#include "codegen/cpu/emit/part.h"

namespace krait::codegen::cpu {

class Arguments;
class Atomics;
class Calls;
class ClampedLoads;
class AbsoluteDifferences;
class LocalUpdates;
class Members;
class Memory;
class Positions;
class Pure;
class Warp;
struct InRow;

class Straight : public Part {
 public:
  struct Needs {
    Positions& positions;
    Arguments& arguments;
    Pure& pure;
    AbsoluteDifferences& differences;
    ClampedLoads& clamped_loads;
    Memory& memory;
    Members& members;
    LocalUpdates& local_updates;
    Atomics& atomics;
    Warp& warp;
    Calls& calls;
    const InRow& in_row;
  };
  Straight(const Common& common, const Needs& needs) : Part(common), to_(needs) {}
  void emit(ir::InstId id);

 private:
  void emit_by_part(ir::InstId id, const ir::Inst& inst);
  const Needs to_;
};

}  // namespace krait::codegen::cpu
