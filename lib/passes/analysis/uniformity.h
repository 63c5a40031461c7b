// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which threads see one value, which come to a place together, and which jumps take only some of
// them: the one analysis of the passes, the CPU's generator and PTX's. Uniformity has levels: the
// launch, the block, the warp (on the CPU the gang of lanes that run in step), and none of these.
// What the answer depends on besides the function is the caller's Schedule.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "ir/calls.h"
#include "ir/ir.h"
#include "passes/rewrite.h"

namespace krait::passes {

/// The widest set of threads that is guaranteed to see one value.
enum class Uniform : std::uint8_t { Launch, Block, Warp, Varying };

struct Uniformity {
  // by ValueId: among the threads that come to where it is defined; of threads' own arrays, in
  // step: whether all of a warp's hold the same
  std::vector<Uniform> values;
  std::vector<Uniform> regions;  // by RegionId: of the conditions that lead there

  // Of a warp whose threads run in step, by InstId:
  // a jump that leaves other lanes waiting; a loop that lanes leave at different times
  std::vector<bool> masked;
  std::vector<bool> kills;          // lanes that entered may not come out at its end
  std::vector<bool> barrier;        // holds a barrier
  std::vector<bool> returns;        // a loop that lanes leave by return
  std::vector<unsigned> continues;  // of a loop: how many places go to its next trip

  bool varying(ir::ValueId v) const { return values[v] == Uniform::Varying; }
};

/// How threads run, as far as the levels need it.
struct Schedule {
  /// Threads of a warp run in step, and one operation is one for all of them: those that left are
  /// gone or wait, and part nobody. Else what is proved holds for every schedule.
  bool in_step = false;
  /// A loop that threads may leave at different times may have them in different trips at one
  /// place: what its trips change varies.
  bool trips_apart = false;
  /// No value varies more: Warp for warps of one thread.
  Uniform most = Uniform::Varying;
  /// Of a function that is called: of its parameters. Else they are equal in the launch.
  std::vector<Uniform> parameters = {};
  /// A loop whose trips are not counted: each thread is one.
  ir::InstId shared_out = ir::none;
  /// The level of an instruction's result, where it is not what the operations' table says: of
  /// positions and loads, mostly.
  std::function<std::optional<Uniform>(const ir::Inst& inst, const Uniformity& known)> own = {};
};

/// Of the operands from `begin` on.
Uniform level_of_operands(const ir::Inst& inst, const Uniformity& known, std::size_t begin = 0);

/// Control at a place: all threads of a set that entered come here, or none does.
struct Flow {
  Uniform level = Uniform::Launch;     // since the kernel began
  Uniform relative = Uniform::Launch;  // since the innermost loop began
  ir::InstId why = ir::none;           // the branch or loop that divides the threads
  // the return, break or continue by which some left; none: the place is inside `why`
  ir::InstId exit = ir::none;

  void join(const Flow& other);
  void divide(Uniform by, ir::InstId branch);
};

/// Rounds over the function until nothing rises.
class UniformityAnalysis {
 public:
  UniformityAnalysis(const ir::Function& f, const ir::Calls& calls, const Schedule& schedule = {});
  Uniformity levels;
  /// By InstId: control at each instruction of the block's that is a barrier.
  std::vector<std::pair<ir::InstId, Flow>> barriers;

 private:
  /// Threads that left a piece of code otherwise than at its end; of lanes in step, whether some
  /// may have.
  struct Left {
    Flow broke, continued, returned;
    bool kills_loop = false, kills_thread = false, barrier = false;
    void join(const Left& other);
  };
  /// A loop around the place at hand, for lanes in step; the outermost is the function.
  struct Frame {
    ir::InstId loop = ir::none;
    unsigned varying_branches = 0;  // around the place, inside the loop
    // of the conditions around the place, inside the loop
    Uniform control = Uniform::Launch;
    // of the conditions that its jumps depend on
    Uniform exits = Uniform::Launch;
    bool waits_at_latch = false, waits_at_exit = false;  // lanes that took a masked jump
  };
  Left walk(ir::RegionId r, Flow flow);
  Left jump(ir::InstId i, const Flow& flow);
  Left branch(ir::InstId i, const Flow& flow);
  Left loop(ir::InstId i, const Flow& flow);
  void begin_loop(ir::InstId i, Uniform trips);
  void joins_of_loop(ir::InstId i, Uniform exit, Uniform again, bool even_of_one);
  void simple(ir::InstId i, const Flow& flow);
  void own_arrays(const ir::Inst& inst, const Flow& flow);
  Uniform result(const ir::Inst& inst) const;
  bool mask_jump(ir::InstId i, const ir::Inst& inst);
  bool lanes_wait() const;
  Uniform of(ir::ValueId v) const { return levels.values[v]; }
  void raise(ir::ValueId v, Uniform level);
  void flag(std::vector<bool>& flags, ir::InstId i);

  const ir::Function& f_;
  const ir::Calls& calls_;
  const Schedule schedule_;
  LoopExits exits_;
  std::vector<bool> written_;  // arrays that the kernel writes
  std::vector<Left> left_;     // of loops, from the round before
  std::vector<Frame> frames_;
  bool changed_ = false;
};

}  // namespace krait::passes
