// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's frame: what it declares, and the dispatch of instructions to the files of their kind.
#include "codegen/spirv/lower.h"

#include <fmt/core.h>

#include "ir/walk.h"

namespace krait::codegen::spirv {

using spv::Op;

Words lower_module(const ir::Module& module, const support::SpirvTarget& target, support::Envelope& envelope,
                   support::SpirvCode& own) {
  Unit unit{module, Emitter(target, Dialect::Shader), target.features.has(Feature::Debug), envelope, own};
  unit.vulkan_model = unit.emitter.has(Feature::Vmm);
  declare_push_constants(unit);
  lower_all(unit);
  measure(unit);
  return unit.emitter.m.finish(module.kernel().name, "main");
}

void lower_all(Unit& unit) {
  const ir::Module& module = unit.module;
  for (const ir::Function& f : module.functions)
    ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) {
      const ir::Effect effect = ir::info(f.insts[i].op).effect;
      unit.synchronised = unit.synchronised || effect == ir::Effect::Sync || effect == ir::Effect::Atomic;
    });
  if (unit.emitter.has(Feature::Regroups)) unit.revisits = Revisits(module, unit.calls);
  for (std::size_t i = module.functions.size(); i-- > 0;) Lower(unit, i).run();
}

void Lower::run() {
  ids_.assign(f_.values.size(), 0);
  arrays_.resize(f_.values.size());
  uses_.resize(f_.values.size());
  e_.where = fmt::format("kernel {}", unit_.module.kernel().name);
  scan();
  if (f_.called) return called();
  if (e_.kernel()) {
    kernel_entry();
  } else {
    declare();
    entry();
  }
  region(f_.body);
}

/// Finds how shared and local arrays are used, which decides what they are made of.
void Lower::scan() {
  ir::for_each_inst(f_, [&](ir::InstId id, ir::RegionId) {
    const ir::Inst& i = f_.insts[id];
    const ir::Effect effect = ir::info(i.op).effect;
    const bool atomic = effect == ir::Effect::Atomic;
    own_.uses_warp |= ir::is_warp_operation(i.op) || i.op == ir::Op::LaneId || i.op == ir::Op::WarpSize;
    if (i.op == ir::Op::Call)
      for (std::size_t k = 0; k < i.operands.size(); ++k) {
        uses_[i.operands[k]].read |= unit_.calls.reads(i, k);
        uses_[i.operands[k]].written |= unit_.calls.writes(i, k);
      }
    if (effect != ir::Effect::Read && effect != ir::Effect::Write && !atomic) return;
    const ir::ValueId array = i.operands[0];
    const ir::Type& t = f_.type_of(array);
    const Scalar s = i.results.empty() ? i.type.scalar : scalar(i.results[0]);
    Use& use = uses_[array];
    use.atomic |= atomic;
    use.read |= atomic || effect == ir::Effect::Read;
    use.written |= atomic || effect == ir::Effect::Write;
    // A power of two that divides the access, its offset and the element's size: what an array of aggregates is made of.
    for (std::uint64_t n : {std::uint64_t(ir::size_of(s)), i.imm, std::uint64_t(t.elem_bytes)})
      while (n % use.size) use.size /= 2;
  });
}

void Lower::declare() {
  Module& m = e_.m;
  m.head.capability(spv::Capability::Shader);
  m.head.capability(spv::Capability::PhysicalStorageBufferAddresses);
  if (vulkan_model_) {
    m.head.capability(spv::Capability::VulkanMemoryModel);
    m.head.capability(spv::Capability::VulkanMemoryModelDeviceScope);
  }
  m.head.memory_model(spv::AddressingModel::PhysicalStorageBuffer64,
                      vulkan_model_ ? spv::MemoryModel::Vulkan : spv::MemoryModel::GLSL450);

  for (unsigned d = 0; d < 3; ++d) {
    const auto fixed = std::uint32_t(f_.block[d]);
    block_spec_[d] = m.globals.spec_constant(support::SpirvBlockX + d, fixed ? fixed : 1);
    m.head.name(block_spec_[d], fmt::format("block_{}", "xyz"[d]));
  }
  Id u = m.globals.int_type(32), one = e_.u32(1);
  Id shape[] = {block_spec_[0], block_spec_[1], block_spec_[2]};
  // Warps follow the linear number of threads, which devices promise for workgroups of one dimension alone.
  if (own_.uses_warp) {
    flat_threads_ = m.globals.spec_op(u, Op::OpIMul, {block_spec_[1], block_spec_[2]});
    shape[0] = m.globals.spec_op(u, Op::OpIMul, {block_spec_[0], flat_threads_}), shape[1] = shape[2] = one;
  }
  Id size = m.globals.spec_composite(m.globals.vector_type(u, 3), {shape[0], shape[1], shape[2]});
  m.head.decorate(size, spv::Decoration::BuiltIn, {std::uint32_t(spv::BuiltIn::WorkgroupSize)});
  folded_ = m.globals.spec_bool(support::SpirvFolded);
  m.head.name(folded_, "folded");
  one_trip_ = m.globals.spec_bool(support::SpirvOneTrip);
  m.head.name(one_trip_, "one_trip");
}

/// The float-control modes that the device offers, for the widths in use.
void Lower::capabilities() {
  if (f_.fp == ir::FpMode::Fast) return;
  bool used[3]{};
  for (const ir::Function& f : unit_.module.functions) {
    const auto use = [&](const std::vector<ir::ValueId>& values) {
      for (const ir::ValueId v : values) {
        const ir::Type& type = f.type_of(v);
        used[0] |= type.is_value() && type.scalar == Scalar::F16;
        used[1] |= type.is_value() && type.scalar == Scalar::F32;
        used[2] |= type.is_value() && type.scalar == Scalar::F64;
      }
    };
    ir::for_each_region(f, [&](ir::RegionId r) { use(f.regions[r].params); });
    ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) { use(f.insts[i].results); });
  }
  struct Mode {
    Feature of[3];
    spv::Capability capability;
    spv::ExecutionMode mode;
  };
  using enum Feature;
  const Mode modes[] = {
      {{Szin16, Szin32, Szin64}, spv::Capability::SignedZeroInfNanPreserve, spv::ExecutionMode::SignedZeroInfNanPreserve},
      {{Rte16, Rte32, Rte64}, spv::Capability::RoundingModeRTE, spv::ExecutionMode::RoundingModeRTE},
      {{Keep16, Keep32, Keep64}, spv::Capability::DenormPreserve, spv::ExecutionMode::DenormPreserve}};
  for (unsigned w = 0; w < 3; ++w) {
    for (const Mode& mode : modes) {
      if (!used[w] || !e_.has(mode.of[w])) continue;
      e_.m.head.capability(mode.capability);
      e_.m.head.execution_mode(mode.mode, {16u << w});
    }
  }
}

void Lower::source_line(const ir::Inst& i) {
  const ir::Location& at = f_.locations[i.loc];
  if (at.line == 0) return;
  if (!file_ || file_of_ != i.loc) {
    if (!file_ || f_.locations[file_of_].file != at.file) file_ = e_.m.head.string(at.file);
    file_of_ = i.loc;
  }
  e_.m.code.emit_void(Op::OpLine, {file_, at.line, 0});
}

void Lower::instruction(const ir::Inst& i) {
  const ir::Location& at = f_.locations[i.loc];
  e_.where = at.line ? fmt::format("kernel {}: operation {} ({}:{})", f_.name, ir::info(i.op).name, at.file, at.line)
                     : fmt::format("kernel {}: operation {}", f_.name, ir::info(i.op).name);
  e_.fast = i.fast || f_.fp == ir::FpMode::Fast;
  if (debug_) source_line(i);
  using ir::Op;
  switch (i.op) {
    case Op::If: return lower_if(i);
    case Op::Switch: return lower_switch(i);
#define KRAIT_LOOP(Name, ...) case Op::Name:
#include "krait/ops.def"
      return lower_loop(i);
#define KRAIT_END(Name, ...) case Op::Name:
#include "krait/ops.def"
      return terminate(i);

    case Op::Shared:
    case Op::Local: return declare_array(i);
    case Op::Extent: return define(i, extent(i.operands[0], unsigned(i.imm)));
    case Op::Stride: return define(i, stride(i.operands[0], unsigned(i.imm)));

    case Op::Load:
    case Op::Store:
    case Op::LoadVec:
    case Op::StoreVec:
#define KRAIT_ATOMIC(Name, ...) case Op::Name:
#include "krait/ops.def"
      return access(i);

    case Op::Barrier: return barrier();
    case Op::BarrierCount:
    case Op::BarrierAnd:
    case Op::BarrierOr: return define(i, block_vote(i));
    case Op::Fence: return fence(i.imm);
    case Op::WarpSync: e_.need(Feature::Warp, "an operation of a warp"); return control_barrier(spv::Scope::Subgroup);
    case Op::WarpSize: return define(i, warp_size());
    case Op::LaneId: return define(i, lane());
    case Op::Ballot: return define(i, ballot(i));
    case Op::WarpAny:
    case Op::WarpAll: return define(i, warp_vote(i));
    case Op::Shuffle: return define(i, shuffle(i));
    case Op::MatchAny:
    case Op::WarpReduce:
    case Op::WarpScan: break;
    case Op::Uniform: return define(i, value(i.operands[0]));
    case Op::Call: return call(i);

    case Op::Slot:
      define(i, e_.m.code.local_variable(e_.type(f_.type_of(i.results[0]).scalar)));
      return e_.m.code.emit_void(spv::Op::OpStore, {value(i.results[0]), value(i.operands[0])});
    case Op::Get: return define(i, e_.op(spv::Op::OpLoad, i.type.scalar, {value(i.operands[0])}));
    case Op::Set: return e_.m.code.emit_void(spv::Op::OpStore, {value(i.operands[0]), value(i.operands[1])});

#define KRAIT_REPORT(Name, ...) case Op::Name:
#include "krait/ops.def"
      break;  // lower_reports has replaced them

#define KRAIT_POSITION(Name, ...) case Op::Name:
#include "krait/ops.def"
      return define(i, position(i.op, unsigned(i.imm)));

    case Op::Const: return define(i, literal(i.type.scalar, i.imm));
#define KRAIT_VALUE(Name, ...) case Op::Name:
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
      return define(i, pure(i));
  }
  defect(fmt::format("{}: not lowered before", ir::info(i.op).name));
}

}  // namespace krait::codegen::spirv
