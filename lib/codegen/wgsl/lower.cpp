// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/lower.h"

#include <algorithm>

#include "codegen/wgsl/arguments.h"
#include "codegen/wgsl/atomics.h"
#include "codegen/wgsl/calls.h"
#include "codegen/wgsl/control.h"
#include "codegen/wgsl/helpers.h"
#include "codegen/wgsl/memory.h"
#include "codegen/wgsl/numeric/numeric.h"
#include "codegen/wgsl/positions.h"
#include "codegen/wgsl/straight.h"
#include "codegen/wgsl/sync.h"
#include "codegen/wgsl/variables.h"
#include "codegen/wgsl/warp.h"
#include "ir/walk.h"

namespace krait::codegen::wgsl {
namespace {

/// One function; the kernel finds its arguments first.
class Lower {
 public:
  Lower(Unit& unit, std::size_t function) : frame_(unit, function) {}
  void kernel() {
    arguments_.bind();
    positions_.begin();
    frame_.head = frame_.out.cut();
    body();
  }
  void called(const Instance& instance) {
    calls_.begin(instance);
    body();
  }

 private:
  void body() {
    control_.region(frame_.f.body);
    frame_.out.close();
    frame_.unit.functions += "\n" + frame_.head;
    for (const auto& [name, text] : frame_.arguments)
      frame_.unit.functions += fmt::format("  let {} = {};\n", name, text);
    frame_.unit.functions += frame_.out.all();
  }

  Frame frame_;
  Positions positions_{frame_};
  Arguments arguments_{frame_};
  Variables variables_{frame_};
  Memory memory_{frame_, arguments_};
  Sync sync_{frame_};
  Atomics atomics_{frame_, memory_};
  Warp warp_{frame_};
  Pure pure_{frame_};
  Calls calls_{frame_};
  Straight straight_{
      frame_, {positions_, arguments_, variables_, memory_, sync_, atomics_, warp_, pure_, calls_}};
  Control control_{frame_, straight_, calls_, positions_, sync_};
};

bool uses_warp(const ir::Module& module) {
  for (const ir::Function& f : module.functions)
    if (ir::any_inst(f, [](const ir::Inst& i) {
          return ir::is_warp_operation(i.op) || i.op == ir::Op::LaneId || i.op == ir::Op::WarpSize;
        }))
      return true;
  return false;
}

bool uses_halves(const ir::Module& module) {
  const auto is_half = [](const ir::Function& f) {
    return std::any_of(f.values.begin(), f.values.end(),
                       [](const ir::Value& v) { return v.type.scalar == Scalar::F16; });
  };
  return std::any_of(module.functions.begin(), module.functions.end(), is_half);
}

/// The first instruction with a double is named, where the target has none.
void check_types(const ir::Module& module, const support::WebGpuTarget& target) {
  if (target.doubles) return;
  const auto check = [](Scalar s, const std::string& where) {
    if (s == Scalar::F64)
      unsupported(
          fmt::format("{}: a number of type f64, which WebGPU lacks: use float, "
                      "and literals such as 2.0f, or the target's f64=double-single",
                      where));
  };
  for (const ir::Function& f : module.functions) {
    ir::for_each_inst(f, [&](ir::InstId id, ir::RegionId) {
      const ir::Inst& i = f.insts[id];
      check(i.type.scalar, place_of(f, i));
      for (const ir::ValueId v : i.results) check(f.type_of(v).scalar, place_of(f, i));
      for (const ir::ValueId v : i.operands)
        if (f.type_of(v).is_value()) check(f.type_of(v).scalar, place_of(f, i));
    });
    for (std::size_t p = 0; p < f.params().size(); ++p)
      check(f.type_of(f.params()[p]).scalar, fmt::format("parameter {}", p));
  }
}

}  // namespace

std::string lower_module(const ir::Module& module, const support::WebGpuTarget& target,
                         support::Envelope& envelope, support::WebGpuCode& own) {
  check_types(module, target);
  own.uses_warp = uses_warp(module), own.uses_halves = uses_halves(module);
  Unit unit{module, target, envelope, own};
  Lower(unit, 0).kernel();
  while (!unit.wanted.empty()) {
    const Instance instance = unit.wanted.back();
    unit.wanted.pop_back();
    Lower(unit, instance.first).called(instance);
  }
  std::string text;
  if (own.uses_halves) text += "enable f16;\n";
  if (own.uses_warp) text += "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n";
  if (!text.empty()) text += "\n";
  return text + unit.globals.all() + unit.functions + helpers_text(unit.helpers);
}

}  // namespace krait::codegen::wgsl
