// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kept_ops.h"

namespace krait::passes {

using namespace ir;
using support::TargetKind;

namespace {

/// The table of math_targets.def for one target.
template <TargetKind Target>
Expansion choose(const Inst& inst, FpMode fp) {
  const bool fast = fp == FpMode::Fast || inst.fast;
  if (!(fast || fp == FpMode::Native)) return Expansion::Exact;
  using enum TargetKind;
  using enum Expansion;
#define NATIVE(target, type_, Name, how, ulp) \
  if (Target == target && inst.type.scalar == Scalar::type_ && inst.op == Op::Name) return how;
#define FAST(target, Name)                                                                \
  if (Target == target && inst.type.scalar == Scalar::F32 && inst.op == Op::Name && fast) \
    return Instructions;
#include "passes/lower/math_targets.def"
  return Exact;
}

bool has_saturation(const Inst& inst) { return inst.op == Op::AddSat || inst.op == Op::SubSat; }
bool reduces_integers(const Inst& inst) {
  return inst.op == Op::WarpReduce && is_int(inst.type.scalar);
}
bool dots_words(const Inst& inst) {
  return (inst.op == Op::DotBytes || inst.op == Op::DotMixed) && size_of(inst.type.scalar) == 4;
}
bool has_cpu(const Inst& inst) {
  return has_saturation(inst) || dots_words(inst) || inst.op == Op::DotPairs ||
         inst.op == Op::MatchAny || inst.op == Op::WarpPrefixCount || inst.op == Op::WarpScan ||
         inst.op == Op::WarpReduce;
}
bool has_old_ptx(const Inst& inst) {
  return has_saturation(inst) || inst.op == Op::MatchAny ||
         (inst.op == Op::BytePermute && size_of(inst.type.scalar) == 4);
}
bool has_ptx(const Inst& inst) { return has_old_ptx(inst) || dots_words(inst); }
bool converts_float8(const Inst& inst) {
  return inst.op == Op::CastSat && is_float(inst.type.scalar) && size_of(inst.type.scalar) == 1;
}
bool has_ptx80(const Inst& inst) {
  return has_ptx(inst) || (reduces_integers(inst) && size_of(inst.type.scalar) <= 4);
}

}  // namespace

bool keeps_no_op(const Inst&) { return false; }
bool keeps_plain_ops(const Inst& inst) { return inst.op != Op::CastSat; }
bool keeps_ops_of_ptx89(const Inst& inst) { return has_ptx80(inst) || converts_float8(inst); }

KeepsOp kept_ops(const support::Target& target) {
  switch (target.kind) {
    case TargetKind::Interpreter: return keeps_plain_ops;
    case TargetKind::Cpu: return has_cpu;
    case TargetKind::Ptx:
      return target.has_float8()   ? keeps_ops_of_ptx89
             : target.ptx.sm >= 80 ? has_ptx80
             : target.ptx.sm >= 61 ? has_ptx
                                   : has_old_ptx;
    case TargetKind::Spirv:
    case TargetKind::OpenCl:
    case TargetKind::WebGpu: return keeps_no_op;
  }
  return keeps_no_op;
}

bool is_processor_of_opencl(const support::Target& target) {
  return target.kind == TargetKind::OpenCl &&
         !target.spirv.features.has(support::Feature::Functions);
}

ChooseExpansion kept_functions(const support::Target& target) {
  // Processors compute the functions of OpenCL's fast mode by calls, a number at a time.
  if (is_processor_of_opencl(target)) return [](const Inst&, FpMode) { return Expansion::Exact; };
  if (target.kind == TargetKind::Spirv && !target.spirv.features.has(support::Feature::Power32))
    return [](const Inst& inst, FpMode fp) {
      const bool asked =
          (inst.op == Op::Exp || inst.op == Op::Exp2) && fp != FpMode::Fast && !inst.fast;
      return asked ? Expansion::Exact : choose<TargetKind::Spirv>(inst, fp);
    };
  static constexpr ChooseExpansion choices[] = {
#define TARGET(Name, ...) choose<TargetKind::Name>,
#include "support/targets.def"
  };
  return choices[unsigned(target.kind)];
}

}  // namespace krait::passes
