// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions as WGSL's own statements. Values that come out of an if, a switch or a loop, and those
// that a loop carries, are variables; a trip names what it got, so that nothing that was made of it
// changes when the next values are assigned.
#pragma once

#include <vector>

#include "codegen/wgsl/frame.h"

namespace krait::codegen::wgsl {

class Calls;
class Positions;
class Straight;
class Sync;

class Control : public Part {
 public:
  Control(Frame& frame, Straight& straight, Calls& calls, Positions& positions, Sync& sync)
      : Part(frame), straight_(straight), calls_(calls), positions_(positions), sync_(sync) {}
  void region(ir::RegionId r);

 private:
  /// An if, switch or loop around the place.
  struct Exit {
    std::vector<std::string> variables;  // results; of a loop also what it carries
    std::vector<ir::ValueId> carried;    // of a loop: what a trip has of them
    bool loop = false, reached = false;  // something comes out at its end
  };
  void instruction(const ir::Inst& i);
  void terminate(const ir::Inst& i);
  Exit& innermost_loop();
  void assign(const Exit& exit, const ir::Inst& i);
  void declare_results(const ir::Inst& i, Exit& exit);
  void leave(const ir::Inst& i);
  void lower_if(const ir::Inst& i);
  void lower_switch(const ir::Inst& i);
  void lower_cases(const ir::Inst& i, const Expr& selector);
  bool breaks_a_loop(ir::RegionId r) const;
  void lower_loop(const ir::Inst& i);
  std::string loop_head(const ir::Inst& i, Expr& index);

  Straight& straight_;
  Calls& calls_;
  Positions& positions_;
  Sync& sync_;
  std::vector<Exit> exits_;  // innermost last
  bool reachable_ = true;    // the current place
};

}  // namespace krait::codegen::wgsl
