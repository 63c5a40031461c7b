// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/nvptx/numeric.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace krait::codegen::nvptx {

using ir::Op;
using ir::Scalar;
using llvm::Value;
using llvm::Intrinsic::ID;

Value* PtxNumeric::emit(Op op, Scalar result, Scalar s, std::span<Value* const> x, bool fast) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  if (fast && (op == Op::Div || op == Op::Sqrt) && s != Scalar::F16) {
    llvm::FastMathFlags flags;
    flags.setApproxFunc();
    flags.setAllowReciprocal();
    b_.setFastMathFlags(flags);
  }
  return Numeric::emit(op, result, s, x);
}

/// No device divides halves, takes their root or rounds them to integers.
Value* PtxNumeric::half(Op op, Scalar result, std::span<Value* const> x) {
  switch (op) {
    case Op::Div:
    case Op::Min:
    case Op::Max:
    case Op::Sqrt:
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Rint: return through_float(op, result, x);
    default: return nullptr;
  }
}

Value* PtxNumeric::cast_half(Value* x, Scalar from, Scalar to) {
  if (to == Scalar::Bool) return b_.CreateFCmpUNE(x, llvm::Constant::getNullValue(x->getType()));
  if (ir::is_int(to)) return saturate(b_.CreateFPExt(x, b_.getFloatTy()), to);
  if (from == Scalar::F16) return b_.CreateFPExt(x, scalar_type(to));
  if (ir::is_float(from)) return b_.CreateFPTrunc(x, b_.getHalfTy());
  // Integers that float cannot hold are beyond the largest half, so the detour rounds once. The
  // fence: LLVM takes integers of eleven significant bits for numbers that half can hold, whatever
  // their exponent, and would drop the conversion that makes an infinity.
  Value* y = ir::is_signed_int(from) ? b_.CreateSIToFP(x, b_.getFloatTy())
                                     : b_.CreateUIToFP(x, b_.getFloatTy());
  return b_.CreateFPTrunc(b_.CreateArithmeticFence(y, b_.getFloatTy()), b_.getHalfTy());
}

Value* PtxNumeric::float_min_max(bool min, Scalar, Value* x, Value* y) {
  return b_.CreateBinaryIntrinsic(
      min ? ID(llvm::Intrinsic::minimumnum) : ID(llvm::Intrinsic::maximumnum), x, y);
}

Value* PtxNumeric::fma(Scalar, Value* x, Value* y, Value* z) {
  return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}

/// Float to integer by PTX's cvt.rzi, which saturates; NaN gives 0 but where a 64-bit type is
/// involved.
Value* PtxNumeric::saturate(Value* x, Scalar to) {
  using namespace llvm::Intrinsic;
  bool real64 = x->getType()->isDoubleTy(), is_signed = ir::is_signed_int(to);
  Value* nan = b_.CreateFCmpUNO(x, x);
  auto convert = [&](ID id, bool defined) -> Value* {
    Value* y = b_.CreateIntrinsic(id, {x});
    return defined ? y : b_.CreateSelect(nan, llvm::Constant::getNullValue(y->getType()), y);
  };
  switch (ir::size_of(to)) {
    case 8:
      if (is_signed) return convert(real64 ? nvvm_d2ll_rz : nvvm_f2ll_rz, false);
      return convert(real64 ? nvvm_d2ull_rz : nvvm_f2ull_rz, false);
    case 4:
      if (is_signed) return convert(real64 ? nvvm_d2i_rz : nvvm_f2i_rz, !real64);
      return convert(real64 ? nvvm_d2ui_rz : nvvm_f2ui_rz, !real64);
    default: break;
  }
  const unsigned bits = ir::bits_of(to);
  Value* y;
  if (is_signed) {
    y = b_.CreateBinaryIntrinsic(smax, convert(real64 ? nvvm_d2i_rz : nvvm_f2i_rz, !real64),
                                 b_.getInt32(-1u << (bits - 1)));
    y = b_.CreateBinaryIntrinsic(smin, y, b_.getInt32((1u << (bits - 1)) - 1));
  } else {
    y = b_.CreateBinaryIntrinsic(umin, convert(real64 ? nvvm_d2ui_rz : nvvm_f2ui_rz, !real64),
                                 b_.getInt32((1u << bits) - 1));
  }
  return b_.CreateTrunc(y, b_.getIntNTy(bits));
}

Value* PtxNumeric::divide(Op op, Scalar s, Value* x, Value* y) {
  const bool is_signed = ir::is_signed_int(s), remainder = op == Op::Rem;
  llvm::Type* type = x->getType();
  llvm::Constant *zero = llvm::Constant::getNullValue(type), *one = llvm::ConstantInt::get(type, 1);
  const auto plain = [&](Value* by) {
    if (remainder) return is_signed ? b_.CreateSRem(x, by) : b_.CreateURem(x, by);
    return is_signed ? b_.CreateSDiv(x, by) : b_.CreateUDiv(x, by);
  };
  if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(y);
      c && !c->isZero() && !(is_signed && c->isMinusOne()))
    return plain(y);
  Value* by_zero = b_.CreateICmpEQ(y, zero);
  if (!is_signed) {
    Value* result = plain(b_.CreateSelect(by_zero, one, y));
    return b_.CreateSelect(by_zero, zero, result);
  }
  Value* by_minus_one = b_.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(type));
  Value* result = plain(b_.CreateSelect(b_.CreateOr(by_zero, by_minus_one), one, y));
  if (remainder) return result;  // x % 1 is 0, which is the answer for 0 and -1 too
  return b_.CreateSelect(by_zero, zero, b_.CreateSelect(by_minus_one, b_.CreateNeg(x), result));
}

/// ptxas (CUDA 13.0, sm_90) sums fewer products than a loop makes where mul.hi feeds an addition,
/// and moves factors in and out of the upper half where the product has 64 bits.
Value* PtxNumeric::multiply_high(Scalar s, Value* x, Value* y) {
  if (ir::bits_of(s) != 32) return Numeric::multiply_high(s, x, y);
  const char* code =
      ir::is_signed_int(s)
          ? "{ .reg .b64 %wide; .reg .b32 %low; mul.wide.s32 %wide, $1, $2; mov.b64 {%low, $0}, %wide; }"
          : "{ .reg .b64 %wide; .reg .b32 %low; mul.wide.u32 %wide, $1, $2; mov.b64 {%low, $0}, %wide; }";
  auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {b_.getInt32Ty(), b_.getInt32Ty()}, false);
  return b_.CreateCall(llvm::InlineAsm::get(type, code, "=r,r,r", false), {x, y});
}

}  // namespace krait::codegen::nvptx
