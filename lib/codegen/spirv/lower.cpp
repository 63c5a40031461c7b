// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts put together; what a module needs of its device; the modules of both dialects.
#include "codegen/spirv/lower.h"

#include <fmt/core.h>

#include "codegen/spirv/arguments.h"
#include "codegen/spirv/memory/atomics.h"
#include "codegen/spirv/calls.h"
#include "codegen/spirv/control.h"
#include "codegen/spirv/lines.h"
#include "codegen/spirv/memory/memory.h"
#include "codegen/spirv/positions.h"
#include "codegen/spirv/numeric/pure.h"
#include "codegen/spirv/straight.h"
#include "codegen/spirv/sync.h"
#include "codegen/spirv/memory/tiles.h"
#include "codegen/spirv/memory/uses.h"
#include "codegen/spirv/memory/variables.h"
#include "codegen/spirv/warp.h"
#include "ir/walk.h"

namespace krait::codegen::spirv {

namespace {

class Lower {
 public:
  Lower(Unit& unit, std::size_t function) : unit_(unit), frame_(unit, function) {}
  /// After run of the functions that this one calls.
  void run();

 private:
  Unit& unit_;
  Frame frame_;
  Uses uses_{frame_};
  Positions positions_{frame_};
  Arguments arguments_{frame_, uses_};
  Variables variables_{frame_, uses_};
  Memory memory_{frame_};
  Sync sync_{frame_, uses_, positions_};
  Atomics atomics_{frame_, memory_, sync_};
  Warp warp_{frame_};
  Tiles tiles_{frame_, memory_};
  Pure pure_{frame_};
  Calls calls_{frame_, arguments_};
  Lines lines_{frame_};
  Straight straight_{frame_,
                     {positions_, arguments_, variables_, memory_, sync_, atomics_, warp_, tiles_,
                      pure_, calls_, lines_}};
  Control control_{frame_, straight_, calls_, positions_, tiles_};
};

/// The float-control modes that the device offers, for the widths in use.
void float_modes(Unit& unit) {
  if (unit.module.kernel().fp == ir::FpMode::Fast) return;
  bool used[3]{};
  for (const ir::Function& f : unit.module.functions) {
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
  const Mode modes[] = {{{Szin16, Szin32, Szin64},
                         spv::Capability::SignedZeroInfNanPreserve,
                         spv::ExecutionMode::SignedZeroInfNanPreserve},
                        {{Rte16, Rte32, Rte64},
                         spv::Capability::RoundingModeRTE,
                         spv::ExecutionMode::RoundingModeRTE},
                        {{Keep16, Keep32, Keep64},
                         spv::Capability::DenormPreserve,
                         spv::ExecutionMode::DenormPreserve}};
  for (unsigned w = 0; w < 3; ++w) {
    for (const Mode& mode : modes) {
      if (!used[w] || !unit.emitter.has(mode.of[w])) continue;
      unit.emitter.m.head.capability(mode.capability);
      unit.emitter.m.head.execution_mode(mode.mode, {16u << w});
    }
  }
}

void shader_head(Unit& unit) {
  Module& m = unit.emitter.m;
  m.head.capability(spv::Capability::Shader);
  m.head.capability(spv::Capability::PhysicalStorageBufferAddresses);
  if (unit.vulkan_model) {
    m.head.capability(spv::Capability::VulkanMemoryModel);
    m.head.capability(spv::Capability::VulkanMemoryModelDeviceScope);
  }
  m.head.memory_model(spv::AddressingModel::PhysicalStorageBuffer64,
                      unit.vulkan_model ? spv::MemoryModel::Vulkan : spv::MemoryModel::GLSL450);
}

void kernel_head(Module& m) {
  for (const spv::Capability c : {spv::Capability::Kernel, spv::Capability::Addresses})
    m.head.capability(c);
  m.head.memory_model(spv::AddressingModel::Physical64, spv::MemoryModel::OpenCL);
  m.head.execution_mode(spv::ExecutionMode::ContractionOff);
}

void Lower::run() {
  const ir::Function& f = frame_.f;
  unit_.emitter.where = "the kernel";
  if (f.called) {
    calls_.begin();
    lines_.begin();
  } else if (unit_.emitter.kernel()) {
    kernel_head(unit_.emitter.m);
    positions_.begin_kernel();
    arguments_.bind_kernel();
  } else {
    shader_head(unit_);
    positions_.declare();
    float_modes(unit_);
    lines_.begin();
    positions_.begin();
    arguments_.bind();
  }
  control_.region(f.body);
  if (f.called) unit_.emitter.m.code.end_function();
}

void lower_all(Unit& unit) {
  const ir::Module& module = unit.module;
  for (const ir::Function& f : module.functions)
    ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) {
      const ir::Effect effect = ir::info(f.insts[i].op).effect;
      unit.synchronised =
          unit.synchronised || effect == ir::Effect::Sync || effect == ir::Effect::Atomic;
    });
  if (unit.emitter.has(Feature::Regroups)) unit.revisits = Revisits(module, unit.calls);
  for (std::size_t i = module.functions.size(); i-- > 0;) Lower(unit, i).run();
}

}  // namespace

Words lower_module(const ir::Module& module, const support::SpirvTarget& target,
                   support::Envelope& envelope, support::SpirvCode& own) {
  Unit unit{module, Emitter(target, Dialect::Shader), target.features.has(Feature::Debug), envelope,
            own};
  unit.vulkan_model = unit.emitter.has(Feature::Vmm);
  declare_push_constants(unit);
  lower_all(unit);
  measure(unit);
  return unit.emitter.m.finish(module.kernel().name, "main");
}

Words lower_kernel(const ir::Module& module, const support::SpirvTarget& target,
                   support::Envelope& envelope, support::OpenClCode& own,
                   std::vector<support::OpenClParameter>& parameters) {
  support::SpirvCode common;
  Unit unit{module, Emitter(target, Dialect::Kernel), target.features.has(Feature::Debug), envelope,
            common};
  lower_all(unit);
  parameters = std::move(unit.parameters);
  own.local_bytes = common.local_bytes, own.fast = module.kernel().fp == ir::FpMode::Fast;
  const Words words = unit.emitter.m.finish(module.kernel().name, envelope.entry);
  own.one_trip = std::uint32_t(unit.emitter.m.spec_bool_at);
  return words;
}

}  // namespace krait::codegen::spirv
