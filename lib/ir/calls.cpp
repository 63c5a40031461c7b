// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/calls.h"

#include <algorithm>

#include "ir/tiles.h"
#include "ir/walk.h"

namespace krait::ir {
namespace {

/// How much of the rest of a program an effect is seen by.
unsigned reach(Effect e) {
  switch (e) {
    case Effect::Pure:
    case Effect::Slot:
    case Effect::Control:
    case Effect::Call: return 0;
    case Effect::Read: return 1;
    case Effect::Write:
    case Effect::Atomic: return 2;
    case Effect::Sync:
    case Effect::Cross:
    case Effect::Report: return 3;
  }
  return 3;
}
constexpr Effect by_reach[] = {Effect::Pure, Effect::Read, Effect::Atomic, Effect::Sync};

/// Arrays of a thread that hold more stay in the kernel, where a target finds memory for them.
constexpr std::uint64_t largest_local = 1024;
bool is_large(const Function& f, const Inst& local) {
  std::uint64_t bytes = f.type_of(local.results[0]).elem_bytes;
  for (const std::int64_t extent : local.list) bytes *= std::uint64_t(extent);
  return bytes > largest_local;
}

/// True for a local array: nobody else sees it.
bool is_own(const Function& f, ValueId array) {
  return f.def(array) && f.def(array)->op == Op::Local;
}

/// Functions that calls reach, each before those that it calls, else in the order of the calls.
class FunctionOrder {
 public:
  explicit FunctionOrder(Module& module) : module_(module), place_(module.functions.size(), none) {}
  void run() {
    visit(0);
    std::reverse(order_.begin(), order_.end());
    std::vector<Function> sorted;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      place_[order_[i]] = std::uint32_t(i);
      sorted.push_back(std::move(module_.functions[order_[i]]));
    }
    module_.functions = std::move(sorted);
    for (Function& f : module_.functions)
      for_each_inst(f, [&](InstId i, RegionId) {
        if (f.insts[i].op == Op::Call) f.insts[i].imm = place_[f.insts[i].imm];
      });
  }

 private:
  void visit(std::size_t function) {
    if (place_[function] != none) return;
    place_[function] = 0;
    // The last call first: of functions that do not call each other the one called first is put in
    // front in the end.
    std::vector<std::size_t> callees;
    const Function& f = module_.functions[function];
    for_each_inst(f, [&](InstId i, RegionId) {
      if (f.insts[i].op == Op::Call) callees.push_back(std::size_t(f.insts[i].imm));
    });
    for (std::size_t k = callees.size(); k-- > 0;) visit(callees[k]);
    order_.push_back(function);
  }

  Module& module_;
  std::vector<std::uint32_t> place_;  // none: not reached; in the end the new number
  std::vector<std::size_t> order_;    // behind what they call
};

}  // namespace

bool calls_rare(const Module& module, const Function& f, RegionId r) {
  return std::any_of(f.regions[r].insts.begin(), f.regions[r].insts.end(), [&](InstId i) {
    return f.insts[i].op == Op::Call && module.callee(f.insts[i]).rare;
  });
}

bool reads_constants(const Function& f, const Inst& inst) {
  if (inst.op != Op::Load && inst.op != Op::LoadVec) return false;
  const Type& array = f.type_of(inst.operands[0]);
  return array.space == Space::Argument ||
         (array.space == Space::Global && !array.writable && f.facts.disjoint);
}

void sort_functions(Module& module) {
  if (module.functions.size() > 1) FunctionOrder(module).run();
}

Calls::Calls(const Module& module) : all_(module.functions.size()) {
  for (std::size_t i = all_.size(); i-- > 1;) summarise(module.functions[i], all_[i]);
}

bool Calls::is_checked(const Inst& inst) const {
  if (inst.op == Op::Shared) return inst.list[0] == 0;
  if (inst.op == Op::Call) return all_[inst.imm].checked;
  const Effect e = info(inst.op).effect;
  return e == Effect::Write || e == Effect::Atomic;
}

bool Calls::reads(const Inst& inst, std::size_t operand) const {
  if (inst.op == Op::Call) return all_[inst.imm].reads[operand];
  const Effect e = info(inst.op).effect;
  if (is_tile_operation(inst.op))
    return (inst.op == Op::Product && operand < product_lead &&
            (operand != 0 || left_values(inst).empty())) ||
           (inst.op == Op::WordProduct && operand < WordProduct::words) ||
           (inst.op == Op::CopyRow && operand == copy_operands(inst.op).view) ||
           (inst.op == Op::CopyTile && operand == TileCopy::view);
  return operand == 0 && (e == Effect::Read || e == Effect::Atomic);
}

bool Calls::writes(const Inst& inst, std::size_t operand) const {
  if (inst.op == Op::Call) return all_[inst.imm].writes[operand];
  const Effect e = info(inst.op).effect;
  return operand == 0 && (e == Effect::Write || e == Effect::Atomic || is_copy(inst.op) ||
                          inst.op == Op::CopyTile || inst.op == Op::WordProduct);
}

void Calls::access(const Function& f, const Inst& inst, Summary& s) const {
  const auto params = f.params();
  for (std::size_t k = 0; k < inst.operands.size(); ++k) {
    const ValueId v = inst.operands[k];
    if (!f.type_of(v).is_array() || !(reads(inst, k) || writes(inst, k))) continue;
    const auto param = std::find(params.begin(), params.end(), v);
    if (param == params.end()) continue;
    const auto p = std::size_t(param - params.begin());
    s.reads[p] = s.reads[p] || reads(inst, k);
    s.writes[p] = s.writes[p] || writes(inst, k);
  }
}

void Calls::summarise(const Function& f, Summary& s) const {
  s.reads.resize(f.params().size());
  s.writes.resize(f.params().size());
  for (const ValueId p : f.params())
    s.kernel_only =
        s.kernel_only || (f.type_of(p).is_array() && f.type_of(p).space != Space::Global);
  unsigned most = 0;
  for_each_inst(f, [&](InstId i, RegionId) {
    const Inst& inst = f.insts[i];
    const OpInfo& row = info(inst.op);
    const bool own =
        (row.effect == Effect::Read || row.effect == Effect::Write) && is_own(f, inst.operands[0]);
    if (!own) most = std::max(most, reach(effect(inst)));
    s.checked = s.checked || is_checked(inst);
    const bool position = knows_place(inst.op);
    const bool constant = position && row.level == Level::Launch;
    s.placed = s.placed || (position && !constant) || is_placed(inst);
    s.kernel_only = s.kernel_only || position || inst.op == Op::Shared ||
                    (inst.op == Op::Local && is_large(f, inst)) ||
                    (f.checked && (row.effect == Effect::Read || row.effect == Effect::Write ||
                                   row.effect == Effect::Atomic)) ||
                    (inst.op == Op::Call && belongs_to_kernel(inst.imm));
    access(f, inst, s);
  });
  s.effect = by_reach[most];
  s.kernel_only = s.kernel_only || s.effect == Effect::Sync;
  if (f.native.instructions.empty()) return;
  s.placed = true;  // they may ask for the thread's position
  if (f.native.effects || f.results.empty()) s.effect = Effect::Sync, s.kernel_only = false;
}

}  // namespace krait::ir
