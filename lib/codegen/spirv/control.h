// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions as SPIR-V's structured constructs one to one: an if or switch is a selection with its
// merge block, a loop is a header, a body, a continue target with the carried values' phis and a
// merge block. Nothing is restructured: every construct is entered at its header and left to its
// merge block, to the innermost loop's merge or continue target, or by return, which is all that
// SPIR-V asks.
#pragma once

#include <vector>

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Calls;
class Positions;
class Straight;
class Tiles;

class Control : public Part {
 public:
  Control(Frame& frame, Straight& straight, Calls& calls, Positions& positions, Tiles& tiles)
      : Part(frame), straight_(straight), calls_(calls), positions_(positions), tiles_(tiles) {}
  void region(ir::RegionId r);

 private:
  using Incoming = Blocks::Incoming;
  /// Where leaving an if, switch or loop goes and with which values.
  struct Exit {
    Id merge = 0, next = 0;         // next: a loop's continue target
    std::vector<Incoming> results;  // by result, into merge
    std::vector<Incoming> carried;  // by carried value, into next
    bool reached = false;           // something goes to merge
    bool loop = false;
  };
  Exit new_exit(const ir::Inst& i, bool loop);
  void instruction(const ir::Inst& i);
  void terminate(const ir::Inst& i);
  void leave(Exit& exit, std::vector<Incoming>& into, const ir::Inst& i, Id to);
  void lower_if(const ir::Inst& i);
  void lower_switch(const ir::Inst& i);
  void lower_loop(const ir::Inst& i);
  void merge(const ir::Inst& i, Exit& exit);

  Straight& straight_;
  Calls& calls_;
  Positions& positions_;
  Tiles& tiles_;
  std::vector<Exit> exits_;  // innermost last: ifs, switches and loops
  bool reachable_ = true;    // the current block
};

}  // namespace krait::codegen::spirv
