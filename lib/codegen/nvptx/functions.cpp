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

// b^x = 2^n · 2^u for log2(b) = high + low: n is the floor of x·log2(b), kept within the exponents
// of normal numbers by the saturating fma, and u what remains. The bits of n + 127, left in the
// mantissa by the addition of 1.5·2^23, become the exponent of 2^n by a shift. Where n was cut, u
// is large and 2^u takes the rest: subnormal results round once. The floor matters: on an H200
// ex2.approx errs by at most 1.40 ULP on [0, 1) and by 2.06 below 0.
Value* Lowering::emit_exp2(Value* x, double high, double low) {
  llvm::Type* f32 = b_.getFloatTy();
  auto number = [&](double v) { return llvm::ConstantFP::get(f32, v); };
  constexpr double magic = 0x1.8p+23;
  Value* share =
      b_.CreateIntrinsic(nvvm_fma_rn_sat_f, {x, number((high + low) / 253), number(126.0 / 253)});
  Value* biased = b_.CreateIntrinsic(nvvm_fma_rm_f, {share, number(253), number(magic + 1)});
  Value* n = b_.CreateFSub(biased, number(magic + 127));
  Value* u = b_.CreateIntrinsic(llvm::Intrinsic::fma, {f32}, {x, number(high), b_.CreateFNeg(n)});
  if (low != 0) u = b_.CreateIntrinsic(llvm::Intrinsic::fma, {f32}, {x, number(low), u});
  Value* scale = b_.CreateBitCast(b_.CreateShl(b_.CreateBitCast(biased, b_.getInt32Ty()), 23), f32);
  return b_.CreateFMul(b_.CreateIntrinsic(nvvm_ex2_approx_ftz, {f32}, {u}), scale);
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
  constexpr double log2_e = 0x1.71547652b82fep+0, log2_10 = 0x1.a934f0979a371p+1;
  constexpr double ln_2 = 0x1.62e42fefa39efp-1, log10_2 = 0x1.34413509f79ffp-2;
  switch (inst.op) {
    case Op::Exp:
      return fast ? exp2(times(x, log2_e)) : emit_exp2(x, 0x1.715476p+0, log2_e - 0x1.715476p+0);
    case Op::Exp2: return fast ? exp2(x) : emit_exp2(x, 1, 0);
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
