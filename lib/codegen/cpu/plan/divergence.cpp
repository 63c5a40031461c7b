// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/plan/divergence.h"

#include "ir/walk.h"

namespace krait::codegen::cpu {

using ir::Op;
using passes::Uniform;

namespace {

/// What the layout of threads on lanes says of instructions' results.
class LanesOf {
 public:
  LanesOf(const ir::Function& f, const ir::Calls& calls, const Shape& shape, LaneForms& forms)
      : f_(f), shape_(shape), forms_(forms) {
    writes_ = ir::any_inst(f, [&](const ir::Inst& inst) {
      const ir::Effect effect = calls.effect(inst);
      return effect == ir::Effect::Write || effect == ir::Effect::Atomic;
    });
  }

  std::optional<Uniform> operator()(const ir::Inst& inst, const passes::Uniformity& known) const {
    forms_.note(inst, known);
    if (inst.op == Op::Shuffle)
      return known.varying(inst.operands[1]) ? Uniform::Varying : Uniform::Warp;
    if (inst.op == Op::ThreadIdx || inst.op == Op::GlobalId) return of_id(unsigned(inst.imm));
    if (inst.op == Op::BlockIdx && inst.imm == 0 && shape_.layout == Layout::Grid)
      return Uniform::Varying;  // a gang's threads are of several blocks
    if (inst.op == Op::Local)   // where the gang's arrays lie
      return shape_.machine.uses(Idiom::EqualOwnArrays) ? Uniform::Block : Uniform::Varying;
    if (ir::info(inst.op).effect == ir::Effect::Read) return of_load(inst, known);
    if (inst.results.size() == 1 && passes::level_of_operands(inst, known) == Uniform::Varying)
      if (const LaneForm* form = forms_.find(inst.results[0]); form && form->equal())
        return Uniform::Warp;
    return {};
  }

 private:
  Uniform of_id(unsigned dim) const {
    if (shape_.layout == Layout::PartRows || shape_.layout == Layout::Linear)
      return Uniform::Varying;
    if (!shape_.is_brick()) return dim == 0 ? Uniform::Varying : Uniform::Warp;
    return (dim == 0   ? shape_.width()
            : dim == 1 ? shape_.rows
                       : shape_.layers) > 1
               ? Uniform::Varying
               : Uniform::Warp;
  }

  /// A load from a uniform address is one load.
  Uniform of_load(const ir::Inst& inst, const passes::Uniformity& known) const {
    const ir::Type& array = f_.type_of(inst.operands[0]);
    if (array.space == ir::Space::Local)
      return std::max({passes::level_of_operands(inst, known), Uniform::Warp});
    const bool constant = !writes_ || ir::reads_constants(f_, inst);
    const Uniform index = passes::level_of_operands(inst, known, 1);
    return constant ? index : std::max(index, Uniform::Warp);
  }

  const ir::Function& f_;
  const Shape& shape_;
  LaneForms& forms_;
  bool writes_ = false;
};

}  // namespace

ir::ValueId place_in_row(const ir::Function& f, ir::ValueId v) {
  const ir::Inst* inst = f.def(v);
  while (inst && inst->op == Op::Cast && ir::is_int(inst->type.scalar) &&
         ir::bits_of(inst->type.scalar) >= 32)
    v = inst->operands[0], inst = f.def(v);
  if (!inst || inst->imm != 0) return ir::none;
  return inst->op == Op::ThreadIdx ||
                 (inst->op == Op::GlobalId && f.facts.whole_rows && f.facts.small)
             ? v
             : ir::none;
}

Divergence find_divergence(const ir::Function& f, const ir::Calls& calls, const Shape& shape,
                           ir::InstId range_loop, const std::vector<Uniform>& parameters) {
  passes::Schedule schedule;
  schedule.in_step = true;
  if (shape.lone) schedule.most = Uniform::Warp;
  schedule.parameters = parameters;
  schedule.shared_out = range_loop;
  LaneForms forms(f, shape, range_loop);
  schedule.own = LanesOf(f, calls, shape, forms);
  return {passes::UniformityAnalysis(f, calls, schedule).levels, std::move(forms)};
}

}  // namespace krait::codegen::cpu
