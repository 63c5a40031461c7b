// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mathematical functions that the special-function unit serves within the published bounds (native
// mode) or nearly (fast mode): passes/lower/math_targets.def has the table and the errors. Accuracy
// of the instructions: PTX ISA, floating-point instructions; CUDA C++ Programming Guide,
// mathematical functions.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/nvptx/lower.h"
#include "codegen/reply.h"
#include "support/target.h"

namespace krait::codegen::nvptx {

using ir::Op;
using ir::Scalar;
using llvm::Value;
using namespace llvm::Intrinsic;

bool has_instruction(const ir::Inst& inst, ir::FpMode mode) {
  const bool fast = inst.fast || mode == ir::FpMode::Fast;
  if (inst.type.scalar != Scalar::F32 || !(fast || mode == ir::FpMode::Native)) return false;
  using enum support::TargetKind;
  enum { Instructions, Approximate };
#define NATIVE(target, type_, Name, how, ulp)                                                      \
  if (target == Ptx && how == Instructions && Scalar::type_ == Scalar::F32 && inst.op == Op::Name) \
    return true;
#define FAST(target, Name) \
  if (target == Ptx && fast && inst.op == Op::Name) return true;
#include "passes/lower/math_targets.def"
  return false;
}

/// b^x, within the published bounds.
Value* Lowering::emit_power(Value* x, SplitLogarithm b) {
  struct Ops {
    llvm::IRBuilderBase& b_;
    llvm::Type* f32 = b_.getFloatTy();
    Value* number(double v) const { return llvm::ConstantFP::get(f32, v); }
    Value* share(Value* x, double factor) const {
      return b_.CreateIntrinsic(nvvm_fma_rn_sat_f,
                                {x, number(factor), number(exponents_below / normal_exponents)});
    }
    Value* floor(Value* x, double factor, double sum) const {
      return b_.CreateIntrinsic(nvvm_fma_rm_f, {x, number(factor), number(sum)});
    }
    Value* minus(Value* x, double c) const { return b_.CreateFSub(x, number(c)); }
    Value* negated(Value* x) const { return b_.CreateFNeg(x); }
    Value* fma(Value* x, double factor, Value* z) const {
      return b_.CreateIntrinsic(llvm::Intrinsic::fma, {f32}, {x, number(factor), z});
    }
    Value* times(Value* x, Value* y) const { return b_.CreateFMul(x, y); }
    Value* scale(Value* x) const {
      return b_.CreateBitCast(b_.CreateShl(b_.CreateBitCast(x, b_.getInt32Ty()), 23), f32);
    }
    Value* exp2(Value* x) const { return b_.CreateIntrinsic(nvvm_ex2_approx_ftz, {f32}, {x}); }
  };
  return power_of(Ops{b_}, x, b);
}

Value* Lowering::function_of(const ir::Inst& inst) {
  bool fast = is_fast(inst);
  Value* x = value(inst.operands[0]);
  llvm::Type* f32 = b_.getFloatTy();
  auto times = [&](Value* v, double c) { return b_.CreateFMul(v, llvm::ConstantFP::get(f32, c)); };
  auto unary = [&](ID exact, ID flushing, Value* v) -> Value* {
    return b_.CreateIntrinsic(fast ? flushing : exact, {v});
  };
  auto exp2 = [&](Value* v) -> Value* {
    return b_.CreateIntrinsic(nvvm_ex2_approx_ftz, {f32}, {v});
  };
  auto log2 = [&] { return unary(nvvm_lg2_approx_f, nvvm_lg2_approx_ftz_f, x); };
  auto sine = [&] { return unary(nvvm_sin_approx_f, nvvm_sin_approx_ftz_f, x); };
  auto cosine = [&] { return unary(nvvm_cos_approx_f, nvvm_cos_approx_ftz_f, x); };
  constexpr double log2_10 = 0x1.a934f0979a371p+1;
  constexpr double ln_2 = 0x1.62e42fefa39efp-1, log10_2 = 0x1.34413509f79ffp-2;
  switch (inst.op) {
    case Op::Exp: return fast ? exp2(times(x, log2_e)) : emit_power(x, split_log2_e);
    case Op::Exp2: return fast ? exp2(x) : emit_power(x, {});
    case Op::Exp10: return exp2(times(x, log2_10));
    case Op::Log: return times(log2(), ln_2);
    case Op::Log2: return log2();
    case Op::Log10: return times(log2(), log10_2);
    case Op::Rsqrt: return unary(nvvm_rsqrt_approx_f, nvvm_rsqrt_approx_ftz_f, x);
    case Op::Sin: return sine();
    case Op::Cos: return cosine();
    case Op::Tan: {
      Value* below = cosine();
      return b_.CreateIntrinsic(nvvm_div_approx_ftz_f, {sine(), below});
    }
    default: defect("nvptx: no instruction for " + std::string(ir::info(inst.op).name));
  }
}

}  // namespace krait::codegen::nvptx
