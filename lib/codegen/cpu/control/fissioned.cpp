// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/control/fissioned.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/SaveAndRestore.h>

#include "codegen/cpu/launch/arguments.h"
#include "codegen/cpu/control/blocks.h"
#include "codegen/cpu/control/loop_slots.h"
#include "codegen/cpu/lanes/positions.h"
#include "codegen/cpu/emit/word_products.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

Fissioned::Fissioned(const Common& common, const Needs& needs, const Fission& plan)
    : Part(common),
      positions_(needs.positions),
      arguments_(needs.arguments),
      loop_slots_(needs.loop_slots),
      control_(needs.control),
      blocks_(needs.blocks),
      word_products_(needs.word_products),
      p_(plan),
      merged_(f_.values.size()) {}

void Fissioned::run() {
  end_ = code_.new_block("block_end");
  region(f_.body);
  code_.start(end_);
}

/// A value's or a local array's memory, of the gang at hand.
V Fissioned::place(ir::ValueId v) {
  V gang = b_.CreateMul(positions_.at.gang, b_.getInt64(p_.gang_bytes));
  return b_.CreatePtrAdd(arguments_.spills, b_.CreateAdd(gang, b_.getInt64(p_.place[v])));
}

/// Whether what v is lowered to is of the gang at hand.
bool Fissioned::at_hand(ir::ValueId v) const {
  if (p_.block_value[v] || ready_[v]) return true;
  const ir::InstId def = f_.values[v].def;
  return def != ir::none && p_.segment[def] == number_ && !p_.outer[def];
}

/// One gang's turn in the segment at hand.
void Fissioned::gang(const Segment& s) {
  const auto& insts = f_.regions[s.region].insts;
  ready_.assign(f_.values.size(), false);
  number_ = s.begin < s.end ? p_.segment[insts[s.begin]] : ir::none;
  for (std::size_t i = s.begin; i < s.end; ++i)
    if (!p_.outside[insts[i]]) need_operands(insts[i], s);
  for (auto& [from, to] : s.moves) need(from, s);
  if (s.counted != ir::none) need(s.counted, s);
  Exit exit = control_.emit_region(s.region, s.begin);
  if (!code_.open || !exit.yields) return;
  for (std::size_t i = s.begin; i < s.end; ++i) {
    if (p_.outside[insts[i]]) continue;
    for (ir::ValueId v : f_.insts[insts[i]].results)
      if (p_.place[v] != Fission::no_place && f_.type_of(v).is_value()) store(v, values_.get(v));
  }
  std::vector<Lowered> values;
  for (auto& [from, to] : s.moves) values.push_back(values_.get(from));
  for (std::size_t i = 0; i < s.moves.size(); ++i) store(s.moves[i].second, values[i]);
  if (s.counted != ir::none) count(s);
}

llvm::Type* Fissioned::type(ir::ValueId v) {
  Scalar s = values_.scalar_of(v);
  llvm::Type* t = s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
  return d_.varying(v) ? llvm::FixedVectorType::get(t, shape_.lanes) : t;
}

V Fissioned::beside(V at, ir::ValueId v, unsigned p) {
  return b_.CreatePtrAdd(
      at, b_.getInt64(std::uint64_t(p) * shape_.lanes * ir::size_of(values_.scalar_of(v))));
}

void Fissioned::store(ir::ValueId v, const Lowered& x) {
  Scalar s = values_.scalar_of(v);
  llvm::Align align(ir::size_of(s));
  V at = place(v);
  if (!d_.varying(v)) {
    b_.CreateAlignedStore(arith_.to_memory(x.v[0], s), at, align);
    return;
  }
  for (unsigned p = 0; p < shape_.parts; ++p)
    b_.CreateAlignedStore(arith_.to_memory(values_.part(x, s, p), s), beside(at, v, p), align);
}

void Fissioned::load(ir::ValueId v) {
  Scalar s = values_.scalar_of(v);
  llvm::Align align(ir::size_of(s));
  V at = place(v);
  if (!d_.varying(v))
    return values_.set_uniform(v, arith_.from_memory(b_.CreateAlignedLoad(type(v), at, align), s));
  Lowered x{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p)
    x.v.push_back(arith_.from_memory(b_.CreateAlignedLoad(type(v), beside(at, v, p), align), s));
  values_.set(v, std::move(x));
}

void Fissioned::need_operands(ir::InstId id, const Segment& s) {
  const ir::Inst& inst = f_.insts[id];
  for (ir::ValueId v : inst.operands) need(v, s);
  for (ir::RegionId r : inst.regions)
    for (ir::InstId inner : f_.regions[r].insts) need_operands(inner, s);
}

void Fissioned::need(ir::ValueId v, const Segment& s) {
  if (ready_[v] || p_.block_value[v]) return;
  ready_[v] = true;
  ir::InstId def = f_.values[v].def;
  // Made in this segment, or carried by a loop within it.
  if (def != ir::none && p_.segment[def] == number_ && !p_.outer[def]) return;
  if (def == ir::none && p_.place[v] == Fission::no_place) return;
  if (def != ir::none && f_.insts[def].op == Op::Local) return values_.set_uniform(v, place(v));
  if (p_.recomputed[v]) {
    for (ir::ValueId operand : f_.insts[def].operands) need(operand, s);
    control_.emit_inst(def);
    return;
  }
  load(v);
}

void Fissioned::count(const Segment& s) {
  V total = b_.CreateLoad(b_.getInt32Ty(), s.counter);
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V x = values_.part(s.counted, p);
    if (s.count_false) x = b_.CreateNot(x);
    if (!lanes_.active.all()) x = b_.CreateAnd(x, lanes_.active.parts[p]);
    V bits = b_.CreateZExt(lanes_.mask_bits(x), b_.getInt32Ty());
    total = b_.CreateAdd(total, b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits));
  }
  b_.CreateStore(total, s.counter);
}

/// Lowers what is pending as a loop over gangs.
void Fissioned::flush(Segment& s) {
  bool work = !s.moves.empty() || s.counted != ir::none;
  const auto& insts = f_.regions[s.region].insts;
  bool kept = work;
  for (std::size_t i = s.begin; i < s.end; ++i) {
    work |= !p_.outside[insts[i]];
    for (ir::ValueId v : f_.insts[insts[i]].results) kept |= has_place(v);
  }
  if (work) {
    segment_ = &s;
    blocks_.emit_threads(kept ? std::nullopt : acting_threads(f_, s.region, s.begin, s.end));
    segment_ = nullptr;
  }
  s.begin = s.end;
  s.moves.clear();
  s.counted = ir::none;
}

/// A value as one scalar, outside of the gangs: that of the first thread where it lies in memory.
V Fissioned::scalar(ir::ValueId v) {
  if (p_.block_value[v]) return values_.scalar(v);
  Scalar s = values_.scalar_of(v);
  positions_.at.gang = b_.getInt64(0);
  llvm::Type* t = s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
  return arith_.from_memory(b_.CreateAlignedLoad(t, place(v), llvm::Align(ir::size_of(s))), s);
}

/// Gives `to` (results or carried values) the values `from`: scalars by their cells, others in the
/// gangs' memory.
void Fissioned::move(Segment& s, const Ids& from, std::size_t skip, const Ids& to,
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

Cell& Fissioned::cell_of(ir::ValueId v) {
  if (merged_[v].at.empty())
    merged_[v] = loop_slots_.make_cell(values_.scalar_of(v), true, "block_value");
  return merged_[v];
}

void Fissioned::read_cells(const Ids& values, std::size_t skip) {
  for (std::size_t i = skip; i < values.size(); ++i)
    if (p_.block_value[values[i]]) values_.set(values[i], loop_slots_.read(cell_of(values[i])));
}

void Fissioned::region(ir::RegionId r) {
  Segment s;
  s.region = r;
  const auto& insts = f_.regions[r].insts;
  for (std::size_t i = 0; i < insts.size(); ++i) {
    ir::InstId id = insts[i];
    const ir::Inst& inst = f_.insts[id];
    if (ir::is_terminator(inst.op)) return leave(s, inst, r);
    if ((d_.barrier[id] && inst.regions.empty()) || inst.op == Op::Uniform) {
      if (keeps_none_apart(f_, shape_, r, i)) continue;
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

void Fissioned::outside_inst(ir::InstId id) { control_.emit_inst(id); }

void Fissioned::synchronise(Segment& s, const ir::Inst& inst) {
  if (inst.op == Op::Uniform) {
    flush(s);
    return values_.set_uniform(inst.results[0], scalar(inst.operands[0]));
  }
  if (inst.op == Op::Barrier) return flush(s);
  if (inst.op == Op::WordProduct) {
    flush(s);
    return word_products_.emit(inst, [&](ir::ValueId v) { return scalar(v); });
  }
  if (inst.op == Op::GridBarrier) {
    flush(s);
    return code_.wait_for_blocks();
  }
  Cell counter = loop_slots_.make_cell(Scalar::I32, true, "count");
  b_.CreateStore(b_.getInt32(0), counter.at[0]);
  s.counted = inst.operands[0], s.count_false = inst.op == Op::BarrierAnd,
  s.counter = counter.at[0];
  flush(s);
  V n = b_.CreateLoad(b_.getInt32Ty(), counter.at[0]);
  if (inst.op == Op::BarrierAnd) n = b_.CreateICmpEQ(n, b_.getInt32(0));
  if (inst.op == Op::BarrierOr) n = b_.CreateICmpNE(n, b_.getInt32(0));
  values_.set_uniform(inst.results[0], n);
}

void Fissioned::leave(Segment& s, const ir::Inst& inst, ir::RegionId r) {
  switch (inst.op) {
    case Op::Yield: {
      const ir::Inst& parent = f_.insts[f_.regions[r].parent];
      return move(s, inst.operands, 0, parent.results, 0);
    }
    case Op::Continue: {
      const Outer& loop = loops_.back();
      move(s, inst.operands, 0, f_.regions[loop.inst->regions[0]].params,
           loop.inst->op == Op::Loop ? 0 : 1);
      return code_.branch_to(loop.head);
    }
    case Op::Break:
      move(s, inst.operands, 0, loops_.back().inst->results, 0);
      return code_.branch_to(loops_.back().exit);
    case Op::Return:
    case Op::Unreachable: flush(s); return code_.branch_to(end_);
    default: defect("no end of a region: " + std::string(ir::info(inst.op).name));
  }
}

void Fissioned::control(Segment& s, const ir::Inst& inst) {
  if (ir::is_loop(inst.op)) return loop(s, inst);
  flush(s);
  V condition = scalar(inst.operands[0]);
  Few<Block> sides;
  for (std::size_t i = 0; i < inst.regions.size(); ++i)
    sides.push_back(code_.new_block("block_side"));
  Block next = code_.new_block("block_join");
  if (inst.op == Op::If) {
    b_.CreateCondBr(condition, sides[0], sides.size() > 1 ? sides[1] : next);
  } else {
    llvm::SwitchInst* table = b_.CreateSwitch(condition, sides.back(), unsigned(inst.list.size()));
    unsigned width = condition->getType()->getIntegerBitWidth();
    for (std::size_t i = 0; i + 1 < inst.regions.size(); ++i)
      table->addCase(llvm::ConstantInt::get(
                         code_.c, llvm::APInt(64, std::uint64_t(inst.list[i])).trunc(width)),
                     sides[i]);
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    code_.start(sides[i]);
    region(inst.regions[i]);
    if (code_.open) code_.branch_to(next);
  }
  code_.start(next);
  read_cells(inst.results);
}

void Fissioned::loop(Segment& s, const ir::Inst& inst) {
  std::size_t bounds = inst.op == Op::Loop ? 0 : 1;
  const auto& params = f_.regions[inst.regions[0]].params;
  move(s, inst.operands, bounds, params, bounds);
  Outer outer{&inst, code_.new_block("block_loop"), code_.new_block("block_left")};
  V bound = bounds ? scalar(inst.operands[0]) : nullptr;
  Cell trip;
  if (bounds) {
    trip = loop_slots_.make_cell(values_.scalar_of(params[0]), true, "trip");
    b_.CreateStore(llvm::Constant::getNullValue(bound->getType()), trip.at[0]);
  }
  code_.branch_to(outer.head);
  code_.start(outer.head);
  read_cells(params, bounds);
  if (bounds) {
    V i = loop_slots_.read(trip).v[0];
    values_.set_uniform(params[0], i);
    b_.CreateStore(b_.CreateAdd(i, llvm::ConstantInt::get(i->getType(), 1)), trip.at[0]);
    Block body = code_.new_block("block_body"), done = code_.new_block("block_done");
    b_.CreateCondBr(b_.CreateICmpULT(i, bound), body, done);
    code_.start(done);
    Segment end;
    end.region = inst.regions[0];
    std::vector<ir::ValueId> carried(params.begin() + 1, params.end());
    move(end, carried, 0, inst.results, 0);
    code_.branch_to(outer.exit);
    code_.start(body);
  }
  loops_.push_back(outer);
  region(inst.regions[0]);
  loops_.pop_back();
  if (code_.open) code_.branch_to(outer.exit);
  code_.start(outer.exit);
  read_cells(inst.results);
}

}  // namespace krait::codegen::cpu
