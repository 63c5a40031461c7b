// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the block of a kernel with barriers by fission.h's plan; lives as long as that takes.
#pragma once

#include <utility>
#include <vector>

#include "codegen/cpu/control/control.h"
#include "codegen/cpu/plan/fission.h"
#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Arguments;
class Blocks;
class LoopSlots;
class Positions;
class WordProducts;

class Fissioned : public Part {
 public:
  struct Needs {
    Positions& positions;
    const Arguments& arguments;
    LoopSlots& loop_slots;
    Control& control;
    Blocks& blocks;
    WordProducts& word_products;
  };
  Fissioned(const Common& common, const Needs& needs, const Fission& plan);
  void run();

  /// Whether a segment is lowered in which v is not what it is lowered to, but of another gang.
  bool is_elsewhere(ir::ValueId v) const { return segment_ && !at_hand(v); }
  /// Whether the region's instructions are those of the segment at hand, which end at `end`.
  bool in_segment() const { return segment_; }
  bool in_segment(ir::RegionId r) const { return segment_ && segment_->region == r; }
  std::size_t end() const { return segment_->end; }
  bool outside(ir::InstId id) const { return p_.outside[id]; }
  /// Memory of an array of the thread that lives on from one segment to the next; null where it
  /// lives within one.
  V local_in_scratch(ir::ValueId array) { return has_place(array) ? place(array) : nullptr; }
  /// One gang's turn in the segment at hand.
  void emit_gang() { gang(*segment_); }

 private:
  /// Instructions [begin, end) of a region without those computed outside, and what happens to
  /// their values.
  struct Segment {
    ir::RegionId region = ir::none;
    std::size_t begin = 0, end = 0;
    // from, to: read together, then written to their places
    std::vector<std::pair<ir::ValueId, ir::ValueId>> moves;
    // threads whose value is true (false for barrier_and) are counted
    ir::ValueId counted = ir::none;
    bool count_false = false;
    V counter = nullptr;
  };
  struct Outer {
    const ir::Inst* inst;
    Block head, exit;
  };
  using Ids = std::vector<ir::ValueId>;

  // ---- a gang's values
  V place(ir::ValueId v);
  bool has_place(ir::ValueId v) const { return p_.place[v] != Fission::no_place; }
  bool at_hand(ir::ValueId v) const;
  llvm::Type* type(ir::ValueId v);
  V beside(V at, ir::ValueId v, unsigned p);
  void store(ir::ValueId v, const Lowered& x);
  void load(ir::ValueId v);
  void need(ir::ValueId v, const Segment& s);
  void need_operands(ir::InstId id, const Segment& s);
  void gang(const Segment& s);
  void count(const Segment& s);

  // ---- the block's control flow
  void flush(Segment& s);
  V scalar(ir::ValueId v);
  void move(Segment& s, const Ids& from, std::size_t skip, const Ids& to, std::size_t to_skip);
  Cell& cell_of(ir::ValueId v);
  void read_cells(const Ids& values, std::size_t skip = 0);
  void region(ir::RegionId r);
  void outside_inst(ir::InstId id);
  void synchronise(Segment& s, const ir::Inst& inst);
  void leave(Segment& s, const ir::Inst& inst, ir::RegionId r);
  void control(Segment& s, const ir::Inst& inst);
  void loop(Segment& s, const ir::Inst& inst);

  Positions& positions_;
  const Arguments& arguments_;
  LoopSlots& loop_slots_;
  Control& control_;
  Blocks& blocks_;
  WordProducts& word_products_;
  const Fission& p_;
  const Segment* segment_ = nullptr;  // the one at hand
  std::vector<Cell> merged_;          // by ValueId: of block values that control flow merges
  std::vector<bool> ready_;           // by ValueId: in the gang at hand
  std::uint32_t number_ = 0;          // of the segment at hand
  std::vector<Outer> loops_;
  Block end_ = nullptr;
};

/// Whether another piece of the code has computed v, so that it may be used here only through its
/// place in memory.
inline bool is_elsewhere(const Code& code, ir::ValueId v) {
  return code.cut && code.cut->is_elsewhere(v);
}

}  // namespace krait::codegen::cpu
