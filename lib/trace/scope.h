// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is recorded of one function, the kernel or one that it calls: its open regions and where its
// values live.
//
// Open regions form a stack of frames. A value may be used while the region that holds it is open.
// After a terminator a frame goes on in a detached region, which nothing refers to in the end: C++
// code after break_() records into the void. A mark (a region and a position in it) lets a later
// call move what was recorded since below a condition.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "ir/ir.h"
#include "krait/detail/emit.h"
#include "trace/findings.h"
#include "trace/spots.h"

namespace krait::trace {

/// A region being recorded.
struct Frame {
  ir::RegionId region = ir::none;  // what belongs to the function
  bool loop = false;
  bool terminated = false;       // the builder stands in a detached region
  bool left_by_result = false;   // loops: a return_(value) inside leaves through this one
  ir::ValueId index = ir::none;  // loops over a range: the value of the index
  std::size_t opened = 0;        // open regions when it was entered
};

/// An element-wise body: return_(value) leaves it.
struct Body {
  void (*result)(void*, detail::node) = nullptr;
  void* context = nullptr;
  std::size_t depth = 0;                 // frames below it
  bool terminated = false;               // of the frame around it, at the start
  bool left = false, left_loop = false;  // by return_(value); from within a loop
  ir::ValueId done = ir::none;           // slot<bool>, set when it was left from within a loop
};

class Scope {
 public:
  Scope(ir::Function& f, Findings& found, Spots& spots);
  Scope(const Scope&) = delete;

  /// Appends, however long the recording is.
  ir::InstId append(ir::Op op, ir::Type type, std::span<const ir::ValueId> operands,
                    std::uint64_t imm);
  /// Instructions so far.
  std::size_t size() const { return home_.size(); }
  /// What follows is recorded for this line. Headers of Krait's own have the place of what came
  /// before.
  void location(detail::location where);
  bool is_open(ir::ValueId v) const;

  // ---- regions
  Frame& top() { return frames_.back(); }
  const Frame& frame(std::size_t depth) const { return frames_[depth]; }
  std::size_t depth() const { return frames_.size(); }
  void enter(ir::RegionId region, bool loop = false);
  /// Closes the frame; `terminator` ends its region where it goes on to its end.
  void exit(ir::Op terminator);
  /// Appends a terminator and goes on in a detached region.
  void terminate(ir::Op op);
  /// Goes on in the region, whose detached ones are closed.
  void resume(ir::RegionId region);
  /// Back to a depth, after an exception.
  void unwind(std::size_t depth);
  /// The innermost loop of the current body.
  Frame* innermost_loop();
  /// All loops of the current body are left by a result. False: there are none.
  bool leave_loops();

  // ---- what was recorded already
  detail::mark mark(detail::node condition) const;
  /// True when what was recorded since the mark stands in the current region.
  bool reaches(const detail::mark& m) const;
  /// Takes what stands in the region from a position on.
  std::vector<ir::InstId> take_tail(ir::RegionId from, std::size_t position);
  /// Moves instructions to the end of the region.
  void put(const std::vector<ir::InstId>& insts, ir::RegionId to);
  /// Few enough operations, without effect, fault or long latency, that computing them always costs
  /// less than a branch.
  bool is_cheap(ir::RegionId region, std::size_t from) const;
  /// True when one of the last instructions, as far as the value is computed from them, does more
  /// than compute.
  bool has_effects(detail::node n) const;
  /// True where the instruction stands in the current region.
  bool is_here(ir::InstId inst) const { return home_[inst] == builder.region(); }
  /// Inserts what was just recorded (the last `count` instructions of the current region) before
  /// `before`, which is here.
  void insert_before(ir::InstId before, std::size_t count);
  /// False when the switch has a case of that value already.
  bool note_case(ir::InstId inst, std::int64_t value) { return cases_.emplace(inst, value).second; }
  /// A shared array belongs to the block wherever it is declared: the IR wants it in the body.
  void hoist_shared();

  bool in_body() const { return !bodies.empty(); }
  bool in_void_body() const { return in_body() && !bodies.back().result; }

  ir::Function& function;
  ir::Builder builder;
  /// Tells a handle of an older recording, of any thread, from one of this recording; 0 is none.
  const std::uint32_t serial;
  std::vector<Body> bodies;  // innermost last

 private:
  void open(ir::RegionId region);
  void close_regions(std::size_t left);
  bool only_computes(ir::InstId inst) const;

  Findings& found_;
  Spots& spots_;
  std::vector<Frame> frames_;
  std::vector<ir::RegionId> open_regions_;
  std::vector<bool> is_open_;       // by RegionId
  std::vector<ir::RegionId> home_;  // by InstId: the region that holds it
  std::set<std::pair<ir::InstId, std::int64_t>> cases_;
  // places, by their number among the spots'
  std::map<std::pair<const char*, unsigned>, std::uint32_t> known_;
};

}  // namespace krait::trace
