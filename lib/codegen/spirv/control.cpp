// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/control.h"

#include "codegen/spirv/calls.h"
#include "codegen/spirv/numeric/numeric.h"
#include "codegen/spirv/positions.h"
#include "codegen/spirv/straight.h"
#include "codegen/spirv/memory/tiles.h"
#include "ir/walk.h"

namespace krait::codegen::spirv {

using spv::Op;

/// What follows a construct that is never left to its merge block is dropped: it cannot be reached,
/// and SPIR-V's rules about constructs that contain each other go by dominance, which unreachable
/// blocks have none of.
void Control::region(ir::RegionId r) {
  for (ir::InstId id : f_.regions[r].insts) {
    reachable_ = true;
    instruction(f_.insts[id]);
    if (!reachable_) return;
  }
}

void Control::instruction(const ir::Inst& i) {
  straight_.begin(i);
  tiles_.before(i);
  if (i.op == ir::Op::If) return lower_if(i);
  if (i.op == ir::Op::Switch) return lower_switch(i);
  if (ir::is_loop(i.op)) return lower_loop(i);
  if (ir::is_terminator(i.op)) return terminate(i);
  straight_.lower(i);
}

Control::Exit Control::new_exit(const ir::Inst& i, bool loop) {
  Exit exit;
  exit.loop = loop;
  exit.merge = e_.blocks.label();
  exit.results.resize(i.results.size());
  if (loop) {
    exit.next = e_.blocks.label();
    exit.carried.resize(i.results.size());
  }
  return exit;
}

void Control::leave(Exit& exit, std::vector<Incoming>& into, const ir::Inst& i, Id to) {
  if (to == exit.merge) exit.reached = true;
  for (std::size_t n = 0; n < into.size(); ++n)
    into[n].push_back({value(i.operands[n]), e_.blocks.block()});
  e_.blocks.branch(to);
}

void Control::terminate(const ir::Inst& i) {
  switch (i.op) {
    case ir::Op::Yield:
      if (exits_.empty()) return calls_.give_results(i);
      return leave(exits_.back(), exits_.back().results, i, exits_.back().merge);
    case ir::Op::Return: return e_.m.code.emit_void(Op::OpReturn, {});
    case ir::Op::Unreachable: return e_.m.code.emit_void(Op::OpUnreachable, {});
    default: break;
  }
  std::size_t loop = exits_.size() - 1;
  while (!exits_[loop].loop) --loop;
  Exit& exit = exits_[loop];
  if (i.op == ir::Op::Break) {
    leave(exit, exit.results, i, exit.merge);
  } else {
    leave(exit, exit.carried, i, exit.next);
  }
}

void Control::merge(const ir::Inst& i, Exit& exit) {
  e_.blocks.begin(exit.merge);
  reachable_ = exit.reached;
  if (!reachable_) return e_.m.code.emit_void(Op::OpUnreachable, {});
  for (std::size_t n = 0; n < i.results.size(); ++n)
    ids_[i.results[n]] = e_.blocks.phi(e_.type(scalar(i.results[n])), exit.results[n]);
}

void Control::lower_if(const ir::Inst& i) {
  const bool has_else = i.regions.size() > 1;
  Id yes = e_.blocks.label(), no = e_.blocks.label();
  exits_.push_back(new_exit(i, false));
  const Id after = exits_.back().merge;
  exits_.back().reached = !has_else;
  e_.blocks.selection_merge(after);
  e_.blocks.branch(value(i.operands[0]), yes, has_else ? no : after);
  e_.blocks.begin(yes);
  region(i.regions[0]);
  if (has_else) {
    e_.blocks.begin(no);
    region(i.regions[1]);
  }
  Exit exit = std::move(exits_.back());
  exits_.pop_back();
  merge(i, exit);
}

void Control::lower_switch(const ir::Inst& i) {
  // 32-bit selectors are what every driver handles; 64 bits stay as they are.
  const Scalar s = scalar(i.operands[0]);
  const bool wide = ir::bits_of(s) == 64;
  Id selector =
      wide ? value(i.operands[0])
           : e_.resize(ir::is_signed_int(s) ? Scalar::I32 : Scalar::U32, s, value(i.operands[0]));
  exits_.push_back(new_exit(i, false));
  e_.blocks.selection_merge(exits_.back().merge);
  std::vector<Id> labels(i.regions.size());
  for (Id& l : labels) l = e_.blocks.label();
  Words operands{selector, labels.back()};
  for (std::size_t n = 0; n < i.list.size(); ++n) {
    operands.push_back(std::uint32_t(i.list[n]));
    if (wide) operands.push_back(std::uint32_t(std::uint64_t(i.list[n]) >> 32));
    operands.push_back(labels[n]);
  }
  e_.m.code.emit_void(Op::OpSwitch, operands);
  for (std::size_t n = 0; n < labels.size(); ++n) {
    e_.blocks.begin(labels[n]);
    region(i.regions[n]);
  }
  Exit exit = std::move(exits_.back());
  exits_.pop_back();
  merge(i, exit);
}

void Control::lower_loop(const ir::Inst& i) {
  const bool counted = i.op != ir::Op::Loop;
  const std::vector<ir::ValueId>& params = f_.regions[i.regions[0]].params;
  const std::size_t first = counted ? 1 : 0;
  Scalar index_type = counted ? scalar(params[0]) : Scalar::Void;
  const bool stride = i.op == ir::Op::GridStride;
  // First index and step of a small launch are below 2^31: so is their sum below 2^32, and 32 bits
  // without sign count up to a bound below 2^31.
  const bool narrow = stride && positions_.narrow_ids() && ir::is_below_2_31(f_, i.operands[0]);
  Id start = 0, step = 0, bound = counted ? value(i.operands[0]) : 0;
  if (narrow) {
    index_type = Scalar::U32;
    start = positions_.narrow_position(ir::Op::GlobalId, 0);
    step = positions_.narrow_position(ir::Op::GlobalSize, 0);
    if (f_.def(i.operands[0])->op != ir::Op::Extent)
      bound = int_min_max(e_, false, Scalar::I64, bound, e_.constant(Scalar::I64, 0));
    bound = e_.resize(Scalar::U32, Scalar::I64, bound);
  } else if (stride) {
    start = positions_.position(ir::Op::GlobalId, 0);
    step = positions_.position(ir::Op::GlobalSize, 0);
  } else if (counted) {
    start = e_.constant(index_type, 0);
    step = e_.constant(index_type, 1);
  }

  tiles_.enter_loop(i);
  Id header = e_.blocks.label(), body = e_.blocks.label();
  const Id before = e_.blocks.block();
  exits_.push_back(new_exit(i, true));
  const Id next = exits_.back().next, after = exits_.back().merge;
  const Id next_index = counted ? e_.m.ids.next() : 0;
  std::vector<Id> next_carried(i.results.size());
  for (Id& id : next_carried) id = e_.m.ids.next();

  e_.blocks.branch(header);
  e_.blocks.begin(header);
  const Id index =
      counted ? e_.blocks.phi(e_.type(index_type), {{start, before}, {next_index, next}}) : 0;
  for (std::size_t n = 0; n < next_carried.size(); ++n)
    ids_[params[first + n]] =
        e_.blocks.phi(e_.type(scalar(params[first + n])),
                      {{value(i.operands[first + n]), before}, {next_carried[n], next}});
  e_.blocks.loop_merge(after, next, !Tiles::multiplies_in(f_, i));
  if (counted) {
    Id test = e_.blocks.label();
    e_.blocks.branch(test);
    e_.blocks.begin(test);
    Id more = int_compare(e_, ir::Op::Lt, index_type, index, bound);
    for (std::size_t n = 0; n < next_carried.size(); ++n)
      exits_.back().results[n].push_back({ids_[params[1 + n]], test});
    exits_.back().reached = true;
    e_.blocks.branch(more, body, after);
  } else {
    e_.blocks.branch(body);
  }
  e_.blocks.begin(body);
  if (counted) ids_[params[0]] = narrow ? e_.widened_id(index) : index;
  region(i.regions[0]);

  Exit exit = std::move(exits_.back());
  exits_.pop_back();
  e_.blocks.begin(next);
  for (std::size_t n = 0; n < next_carried.size(); ++n)
    e_.blocks.phi_as(next_carried[n], e_.type(scalar(params[first + n])), exit.carried[n]);
  if (counted) {
    const Id operands[] = {index, step};
    e_.m.code.emit_as(next_index, Op::OpIAdd, e_.type(index_type), operands);
  }
  if (stride && i.results.empty()) e_.blocks.branch(positions_.one_trip(), after, header);
  else e_.blocks.branch(header);
  merge(i, exit);
  tiles_.leave_loop(i);
}

}  // namespace krait::codegen::spirv
