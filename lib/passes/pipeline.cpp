// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of passes, and the table of mathematical functions that targets keep.
#include <algorithm>
#include <initializer_list>

#include "ir/text.h"
#include "passes/passes.h"
#include "support/error.h"

namespace krait::passes {
namespace {

using namespace ir;

bool keep_nothing(const Inst&, FpMode) { return false; }

/// What a target keeps for its own instructions, of f32 alone: in native mode what meets the published bound (docs/numbers.md),
/// in fast mode all that is quick. On NVIDIA GPUs exp, exp2 and rsqrt stay within 2 ULP over all floats (measured on an H200, see
/// codegen/nvptx/functions.cpp); Vulkan's own bounds are wider than ours.
bool is_one_of(Op op, std::initializer_list<Op> ops) { return std::find(ops.begin(), ops.end(), op) != ops.end(); }
bool is_fast(const Inst& inst, FpMode fp) { return fp == FpMode::Fast || inst.fast; }

bool keep_ptx(const Inst& inst, FpMode fp) {
  if (inst.type.scalar != Scalar::F32) return false;
  const bool native = fp == FpMode::Native || is_fast(inst, fp);
  return (native && is_one_of(inst.op, {Op::Exp, Op::Exp2, Op::Rsqrt})) ||
         (is_fast(inst, fp) && is_one_of(inst.op, {Op::Exp10, Op::Log, Op::Log2, Op::Log10, Op::Sin, Op::Cos, Op::Tan}));
}

bool keep_spirv(const Inst& inst, FpMode fp) {
  return inst.type.scalar == Scalar::F32 && is_fast(inst, fp) &&
         is_one_of(inst.op, {Op::Exp, Op::Exp2, Op::Log, Op::Log2, Op::Sin, Op::Cos, Op::Tan, Op::Tanh, Op::Rsqrt, Op::Atan2});
}

/// The estimate of AVX-512 and one step are within the bound (codegen/cpu/arith.cpp); it differs between makers of processors.
bool keep_cpu(const Inst& inst, FpMode fp) {
  return inst.type.scalar == Scalar::F32 && inst.op == Op::Rsqrt && (fp == FpMode::Native || is_fast(inst, fp));
}

bool (*kept_by(TargetKind target))(const Inst&, FpMode) {
  switch (target) {
    case TargetKind::Interpreter: return keep_nothing;
    case TargetKind::Cpu: return keep_cpu;
    case TargetKind::Ptx: return keep_ptx;
    case TargetKind::Spirv: return keep_spirv;
  }
  return keep_nothing;
}

/// Runs passes one after another, verifying between them where that is asked for.
class Runner {
 public:
  Runner(Module& m, bool checked) : m_(m), checked_(checked) { check("recording"); }
  Runner& operator()(const char* name, void (*pass)(Module&)) {
    pass(m_);
    check(name);
    return *this;
  }
  void check(const char* name) const {
    if (!checked_) return;
    const std::string broken = verify(m_);
    if (!broken.empty())
      support::fail(error::kind_type::internal, "kernel '{}' is broken after {}: {}", m_.kernel().name, name, broken);
  }

 private:
  Module& m_;
  bool checked_;
};

void clean_up(Runner& run) { run("fold", fold)("cse", cse)("dce", dce); }

}  // namespace

void prepare(Module& m) {
  promote_slots(m);
  canonicalise(m);
}

std::string run_pipeline(Module& m, TargetKind target, bool checked) {
  Runner run(m, checked);
  run("promote_slots", promote_slots);
  clean_up(run);
  run("contract", contract);
  expand_math(m, kept_by(target));
  run.check("expand_math");
  clean_up(run);
  if (std::string message = check_barriers(m); !message.empty()) return message;
  run("lower_access", lower_access);
  clean_up(run);
  run("narrow_addresses", narrow_addresses);
  clean_up(run);
  if (target == TargetKind::Ptx || target == TargetKind::Spirv) {
    run("widen", widen);
    clean_up(run);
  }
  run("canonicalise", canonicalise);
  return {};
}

std::span<const Pass> all_passes() {
  static constexpr Pass passes[] = {
      {"promote_slots", promote_slots, true},
      {"fold", fold, true},
      {"cse", cse, true},
      {"dce", dce, true},
      {"contract", contract, false},
      {"expand_math", [](Module& m) { expand_math(m, keep_nothing); }, true},
      {"lower_access", lower_access, true},
      {"narrow_addresses", narrow_addresses, true},
      {"widen", widen, true},
      {"combine_accesses", [](Module& m) { combine_accesses(m, true); }, true},
      {"lower_grid_stride", lower_grid_stride, true},
      {"prepare", prepare, true},
      {"canonicalise", canonicalise, true},
  };
  return passes;
}

}  // namespace krait::passes
