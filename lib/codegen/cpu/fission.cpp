// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a kernel with barriers by fission.h's plan.
#include "codegen/cpu/fission.h"

#include "codegen/cpu/emitter.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

/// Instructions [begin, end) of a region without those computed outside, and what happens to their values.
struct Emitter::Segment {
  ir::RegionId region = ir::none;
  std::size_t begin = 0, end = 0;
  std::vector<std::pair<ir::ValueId, ir::ValueId>> moves;  // from, to: read together, then written to their places
  ir::ValueId counted = ir::none;                          // threads whose value is true (false for barrier_and) are counted
  bool count_false = false;
  llvm::Value* counter = nullptr;
};

/// Lowers one kernel's block; lives as long as that takes.
class Emitter::Fissioned {
  using V = llvm::Value*;

 public:
  Fissioned(Emitter& e, const Fission& plan) : e_(e), b_(e.b_), f_(e.f_), p_(plan), cells_(e.f_.values.size()) {}

  void run() {
    end_ = e_.new_block("block_end");
    region(f_.body);
    e_.start(end_);
  }

  bool outside(ir::InstId id) const { return p_.outside[id]; }

  /// A value's or a local array's memory, of the gang at hand.
  V place(ir::ValueId v) {
    V gang = b_.CreateMul(e_.at_.gang, b_.getInt64(p_.gang_bytes));
    return b_.CreatePtrAdd(e_.spills_, b_.CreateAdd(gang, b_.getInt64(p_.place[v])));
  }

  bool has_place(ir::ValueId v) const { return p_.place[v] != Fission::no_place; }

  /// Whether what v is lowered to is of the gang at hand.
  bool at_hand(ir::ValueId v) const {
    if (p_.block_value[v] || ready_[v]) return true;
    const ir::InstId def = f_.values[v].def;
    return def != ir::none && p_.segment[def] == segment_ && !p_.outer[def];
  }

  /// One gang's turn in the segment at hand.
  void gang(const Segment& s) {
    const auto& insts = f_.regions[s.region].insts;
    ready_.assign(f_.values.size(), false);
    segment_ = s.begin < s.end ? p_.segment[insts[s.begin]] : ir::none;
    for (std::size_t i = s.begin; i < s.end; ++i)
      if (!p_.outside[insts[i]]) need_operands(insts[i], s);
    for (auto& [from, to] : s.moves) need(from, s);
    if (s.counted != ir::none) need(s.counted, s);
    Exit exit = e_.emit_region(s.region, s.begin);
    if (!e_.open_ || !exit.yields) return;
    for (std::size_t i = s.begin; i < s.end; ++i) {
      if (p_.outside[insts[i]]) continue;
      for (ir::ValueId v : f_.insts[insts[i]].results)
        if (p_.place[v] != Fission::no_place && f_.type_of(v).is_value()) store(v, e_.get(v));
    }
    std::vector<Lowered> values;
    for (auto& [from, to] : s.moves) values.push_back(e_.get(from));
    for (std::size_t i = 0; i < s.moves.size(); ++i) store(s.moves[i].second, values[i]);
    if (s.counted != ir::none) count(s);
  }

 private:
  struct Outer {
    const ir::Inst* inst;
    Block head, exit;
  };

  llvm::Type* type(ir::ValueId v) {
    Scalar s = e_.scalar_of(v);
    llvm::Type* t = s == Scalar::Bool ? b_.getInt8Ty() : e_.arith_.scalar_type(s);
    return e_.d_.varying(v) ? llvm::FixedVectorType::get(t, e_.shape_.lanes) : t;
  }
  V beside(V at, ir::ValueId v, unsigned p) {
    return b_.CreatePtrAdd(at, b_.getInt64(std::uint64_t(p) * e_.shape_.lanes * ir::size_of(e_.scalar_of(v))));
  }
  void store(ir::ValueId v, const Lowered& x) {
    Scalar s = e_.scalar_of(v);
    llvm::Align align(ir::size_of(s));
    V at = place(v);
    if (!e_.d_.varying(v)) {
      b_.CreateAlignedStore(e_.arith_.to_memory(x.v[0], s), at, align);
      return;
    }
    for (unsigned p = 0; p < e_.shape_.parts; ++p)
      b_.CreateAlignedStore(e_.arith_.to_memory(e_.part(x, s, p), s), beside(at, v, p), align);
  }
  void load(ir::ValueId v) {
    Scalar s = e_.scalar_of(v);
    llvm::Align align(ir::size_of(s));
    V at = place(v);
    if (!e_.d_.varying(v)) return e_.set_uniform(v, e_.arith_.from_memory(b_.CreateAlignedLoad(type(v), at, align), s));
    Lowered x{Lowered::Form::Parts, {}, 0};
    for (unsigned p = 0; p < e_.shape_.parts; ++p)
      x.v.push_back(e_.arith_.from_memory(b_.CreateAlignedLoad(type(v), beside(at, v, p), align), s));
    e_.set(v, std::move(x));
  }

  void need_operands(ir::InstId id, const Segment& s) {
    const ir::Inst& inst = f_.insts[id];
    for (ir::ValueId v : inst.operands) need(v, s);
    for (ir::RegionId r : inst.regions)
      for (ir::InstId inner : f_.regions[r].insts) need_operands(inner, s);
  }
  void need(ir::ValueId v, const Segment& s) {
    if (ready_[v] || p_.block_value[v]) return;
    ready_[v] = true;
    ir::InstId def = f_.values[v].def;
    // Made in this segment, or carried by a loop within it.
    if (def != ir::none && p_.segment[def] == segment_ && !p_.outer[def]) return;
    if (def == ir::none && p_.place[v] == Fission::no_place) return;
    if (def != ir::none && f_.insts[def].op == Op::Local) return e_.set_uniform(v, place(v));
    if (p_.recomputed[v]) {
      for (ir::ValueId operand : f_.insts[def].operands) need(operand, s);
      e_.emit_inst(def);
      return;
    }
    load(v);
  }
  void count(const Segment& s) {
    V total = b_.CreateLoad(b_.getInt32Ty(), s.counter);
    for (unsigned p = 0; p < e_.shape_.parts; ++p) {
      V x = e_.part(s.counted, p);
      if (s.count_false) x = b_.CreateNot(x);
      if (!e_.active_.all()) x = b_.CreateAnd(x, e_.active_.parts[p]);
      V bits = b_.CreateZExt(e_.mask_bits(x), b_.getInt32Ty());
      total = b_.CreateAdd(total, b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits));
    }
    b_.CreateStore(total, s.counter);
  }

  /// Lowers what is pending as a loop over gangs.
  void flush(Segment& s) {
    bool work = !s.moves.empty() || s.counted != ir::none;
    const auto& insts = f_.regions[s.region].insts;
    for (std::size_t i = s.begin; i < s.end; ++i) work |= !p_.outside[insts[i]];
    if (work) {
      e_.segment_ = &s;
      e_.emit_threads();
      e_.segment_ = nullptr;
    }
    s.begin = s.end;
    s.moves.clear();
    s.counted = ir::none;
  }

  /// A value as one scalar, outside of the gangs: that of the first thread where it lies in memory.
  V scalar(ir::ValueId v) {
    if (p_.block_value[v]) return e_.scalar(v);
    Scalar s = e_.scalar_of(v);
    e_.at_.gang = b_.getInt64(0);
    llvm::Type* t = s == Scalar::Bool ? b_.getInt8Ty() : e_.arith_.scalar_type(s);
    return e_.arith_.from_memory(b_.CreateAlignedLoad(t, place(v), llvm::Align(ir::size_of(s))), s);
  }

  /// Gives `to` (results or carried values) the values `from`: scalars by their cells, others in the gangs' memory.
  void move(Segment& s, const std::vector<ir::ValueId>& from, std::size_t skip, const std::vector<ir::ValueId>& to,
            std::size_t to_skip) {
    std::vector<std::pair<ir::ValueId, ir::ValueId>> scalars;
    for (std::size_t i = skip; i < from.size(); ++i) {
      ir::ValueId target = to[i - skip + to_skip];
      if (p_.block_value[target]) scalars.emplace_back(from[i], target);
      else s.moves.emplace_back(from[i], target);
    }
    flush(s);
    std::vector<V> values;
    for (auto& [source, target] : scalars) values.push_back(scalar(source));
    for (std::size_t i = 0; i < scalars.size(); ++i) {
      Cell& cell = cell_of(scalars[i].second);
      b_.CreateStore(values[i], cell.at[0]);
    }
  }
  Cell& cell_of(ir::ValueId v) {
    if (cells_[v].at.empty()) cells_[v] = e_.make_cell(e_.scalar_of(v), true, "block_value");
    return cells_[v];
  }
  void read_cells(const std::vector<ir::ValueId>& values, std::size_t skip = 0) {
    for (std::size_t i = skip; i < values.size(); ++i)
      if (p_.block_value[values[i]]) e_.set(values[i], e_.read(cell_of(values[i])));
  }

  void region(ir::RegionId r) {
    Segment s;
    s.region = r;
    const auto& insts = f_.regions[r].insts;
    for (std::size_t i = 0; i < insts.size(); ++i) {
      ir::InstId id = insts[i];
      const ir::Inst& inst = f_.insts[id];
      if (ir::is_terminator(inst.op)) return leave(s, inst, r);
      if ((e_.d_.barrier[id] && inst.regions.empty()) || inst.op == Op::Uniform) {
        if (ends_region(f_, r, i)) continue;
        synchronise(s, inst);
      } else if (p_.outer[id]) {
        control(s, inst);
      } else {
        if (p_.outside[id]) outside_inst(id);
        s.end = i + 1;
        continue;
      }
      s.begin = s.end = i + 1;
    }
  }

  void outside_inst(ir::InstId id) {
    e_.active_ = {};
    e_.emit_inst(id);
  }

  void synchronise(Segment& s, const ir::Inst& inst) {
    if (inst.op == Op::Uniform) {
      flush(s);
      return e_.set_uniform(inst.results[0], scalar(inst.operands[0]));
    }
    if (inst.op == Op::Barrier) return flush(s);
    Cell counter = e_.make_cell(Scalar::I32, true, "count");
    b_.CreateStore(b_.getInt32(0), counter.at[0]);
    s.counted = inst.operands[0], s.count_false = inst.op == Op::BarrierAnd, s.counter = counter.at[0];
    flush(s);
    V n = b_.CreateLoad(b_.getInt32Ty(), counter.at[0]);
    if (inst.op == Op::BarrierAnd) n = b_.CreateICmpEQ(n, b_.getInt32(0));
    if (inst.op == Op::BarrierOr) n = b_.CreateICmpNE(n, b_.getInt32(0));
    e_.set_uniform(inst.results[0], n);
  }

  void leave(Segment& s, const ir::Inst& inst, ir::RegionId r) {
    switch (inst.op) {
      case Op::Yield: {
        const ir::Inst& parent = f_.insts[f_.regions[r].parent];
        return move(s, inst.operands, 0, parent.results, 0);
      }
      case Op::Continue: {
        const Outer& loop = loops_.back();
        move(s, inst.operands, 0, f_.regions[loop.inst->regions[0]].params, loop.inst->op == Op::Loop ? 0 : 1);
        return e_.branch_to(loop.head);
      }
      case Op::Break: move(s, inst.operands, 0, loops_.back().inst->results, 0); return e_.branch_to(loops_.back().exit);
      default: flush(s); return e_.branch_to(end_);
    }
  }

  void control(Segment& s, const ir::Inst& inst) {
    if (ir::is_loop(inst.op)) return loop(s, inst);
    flush(s);
    V condition = scalar(inst.operands[0]);
    Few<Block> sides;
    for (std::size_t i = 0; i < inst.regions.size(); ++i) sides.push_back(e_.new_block("block_side"));
    Block next = e_.new_block("block_join");
    if (inst.op == Op::If) {
      b_.CreateCondBr(condition, sides[0], sides.size() > 1 ? sides[1] : next);
    } else {
      llvm::SwitchInst* table = b_.CreateSwitch(condition, sides.back(), unsigned(inst.list.size()));
      unsigned width = condition->getType()->getIntegerBitWidth();
      for (std::size_t i = 0; i + 1 < inst.regions.size(); ++i)
        table->addCase(llvm::ConstantInt::get(e_.c_, llvm::APInt(64, std::uint64_t(inst.list[i])).trunc(width)), sides[i]);
    }
    for (std::size_t i = 0; i < sides.size(); ++i) {
      e_.start(sides[i]);
      region(inst.regions[i]);
      if (e_.open_) e_.branch_to(next);
    }
    e_.start(next);
    read_cells(inst.results);
  }

  void loop(Segment& s, const ir::Inst& inst) {
    std::size_t bounds = inst.op == Op::Loop ? 0 : 1;
    const auto& params = f_.regions[inst.regions[0]].params;
    move(s, inst.operands, bounds, params, bounds);
    Outer outer{&inst, e_.new_block("block_loop"), e_.new_block("block_left")};
    V bound = bounds ? scalar(inst.operands[0]) : nullptr;
    Cell trip;
    if (bounds) {
      trip = e_.make_cell(e_.scalar_of(params[0]), true, "trip");
      b_.CreateStore(llvm::Constant::getNullValue(bound->getType()), trip.at[0]);
    }
    e_.branch_to(outer.head);
    e_.start(outer.head);
    read_cells(params, bounds);
    if (bounds) {
      V i = e_.read(trip).v[0];
      e_.set_uniform(params[0], i);
      b_.CreateStore(b_.CreateAdd(i, llvm::ConstantInt::get(i->getType(), 1)), trip.at[0]);
      Block body = e_.new_block("block_body"), done = e_.new_block("block_done");
      b_.CreateCondBr(b_.CreateICmpULT(i, bound), body, done);
      e_.start(done);
      Segment end;
      end.region = inst.regions[0];
      std::vector<ir::ValueId> carried(params.begin() + 1, params.end());
      move(end, carried, 0, inst.results, 0);
      e_.branch_to(outer.exit);
      e_.start(body);
    }
    loops_.push_back(outer);
    region(inst.regions[0]);
    loops_.pop_back();
    if (e_.open_) e_.branch_to(outer.exit);
    e_.start(outer.exit);
    read_cells(inst.results);
  }

  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const ir::Function& f_;
  const Fission& p_;
  std::vector<Cell> cells_;  // by ValueId: of block values that control flow merges
  std::vector<bool> ready_;  // by ValueId: in the gang at hand
  std::uint32_t segment_ = 0;
  std::vector<Outer> loops_;
  Block end_ = nullptr;
};

void Emitter::emit_fissioned() {
  Fission plan = plan_fission(f_, d_, shape_);
  note_barriers(plan);
  own_.gang_bytes = std::max(own_.gang_bytes, plan.gang_bytes);
  plan.gang_bytes = own_.gang_bytes;
  Fissioned fissioned(*this, plan);
  fissioned_ = &fissioned;
  fissioned.run();
  fissioned_ = nullptr;
}

void Emitter::emit_segment_gang() { fissioned_->gang(*segment_); }

/// Null where the array lives within one segment, inside of a loop or branch there.
llvm::Value* Emitter::local_in_scratch(ir::ValueId v) {
  return fissioned_ && fissioned_->has_place(v) ? fissioned_->place(v) : nullptr;
}

bool Emitter::at_hand(ir::ValueId v) const { return fissioned_->at_hand(v); }

/// Where the segment at hand ends in this region, or the region's end.
std::size_t Emitter::region_end(ir::RegionId r) const {
  return segment_ && segment_->region == r ? segment_->end : f_.regions[r].insts.size();
}
bool Emitter::skipped(ir::RegionId r, ir::InstId id) const {
  return (segment_ && segment_->region == r && fissioned_->outside(id)) || (sweep_ && !sweep_->needed[id]);
}

}  // namespace krait::codegen::cpu
