// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between scalar types, on LLVM scalars and vectors.
#include "codegen/llvm/numeric.h"

namespace krait::codegen {

using ir::Scalar;
using llvm::Value;

Value* Numeric::cast(Value* x, Scalar from, Scalar to) {
  if (from == to) return x;
  llvm::Type* type = shaped(x->getType(), value_type(b_.getContext(), to));
  if (to == Scalar::Bool) {
    llvm::Constant* zero = llvm::Constant::getNullValue(x->getType());
    return ir::is_float(from) ? b_.CreateFCmpUNE(x, zero) : b_.CreateICmpNE(x, zero);
  }
  if (!ir::is_float(from) && !ir::is_float(to))
    return ir::is_signed_int(from) ? b_.CreateSExtOrTrunc(x, type) : b_.CreateZExtOrTrunc(x, type);
  if (ir::is_float(from) && ir::is_float(to)) {
    if (from == Scalar::F64 && to == Scalar::F16) return half_from_double(x);
    return ir::size_of(from) < ir::size_of(to) ? b_.CreateFPExt(x, type) : b_.CreateFPTrunc(x, type);
  }
  if (ir::is_float(to)) {
    // Integers that float cannot hold are beyond the largest half, so the detour rounds once. The fence: LLVM takes integers of eleven
    // significant bits for numbers that half can hold, whatever their exponent, and would drop the conversion that makes an infinity.
    llvm::Type* target = to == Scalar::F16 ? float_of(x) : type;
    Value* y = ir::is_signed_int(from) ? b_.CreateSIToFP(x, target) : b_.CreateUIToFP(x, target);
    return to == Scalar::F16 ? b_.CreateFPTrunc(b_.CreateArithmeticFence(y, target), type) : y;
  }
  return saturate(from == Scalar::F16 ? b_.CreateFPExt(x, float_of(x)) : x, to);
}

Value* Numeric::saturate(Value* x, Scalar to) {
  bool is_signed = ir::is_signed_int(to);
  unsigned bits = ir::bits_of(to);
  llvm::Type* type = shaped(x->getType(), b_.getIntNTy(bits));
  llvm::Type* work = shaped(x->getType(), b_.getIntNTy(bits < 32 ? 32 : bits));
  // Powers of two are exact in every float type. A NaN fails `inside` and both other tests, and gives 0.
  llvm::APFloat limit(x->getType()->getScalarType()->getFltSemantics());
  llvm::APInt power = llvm::APInt::getOneBitSet(bits + 1, is_signed ? bits - 1 : bits);
  limit.convertFromAPInt(power, false, llvm::APFloat::rmNearestTiesToEven);
  Value* above = llvm::ConstantFP::get(x->getType(), limit);
  Value* too_large = b_.CreateFCmpOGE(x, above);
  Value* lowest = is_signed ? llvm::ConstantFP::get(x->getType(), -limit) : float_constant(x->getType(), 0.0);
  Value* inside = b_.CreateAnd(b_.CreateFCmpOGE(x, lowest), b_.CreateFCmpOLT(x, above));
  Value* safe = b_.CreateSelect(inside, x, llvm::Constant::getNullValue(x->getType()));
  Value* whole = bits < 32 || is_signed ? b_.CreateFPToSI(safe, work) : b_.CreateFPToUI(safe, work);
  whole = b_.CreateTrunc(whole, type);
  llvm::APInt largest = is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
  whole = b_.CreateSelect(too_large, llvm::ConstantInt::get(type, largest), whole);
  if (!is_signed) return whole;
  Value* too_small = b_.CreateFCmpOLT(x, lowest);
  return b_.CreateSelect(too_small, llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits)), whole);
}

// Double to float rounded to odd, then float to half rounded to nearest: one rounding in effect, since float has two bits more
// than half needs (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
Value* Numeric::half_from_double(Value* x) {
  llvm::Type* half = shaped(x->getType(), b_.getHalfTy());
  if (traits_.half_from_double) return b_.CreateFPTrunc(x, half);
  llvm::Type* word = shaped(x->getType(), b_.getInt32Ty());
  Value* nearest = b_.CreateFPTrunc(x, float_of(x));
  Value* back = b_.CreateFPExt(nearest, x->getType());
  Value* bits = b_.CreateBitCast(nearest, word);
  Value* outward = b_.CreateFCmpOGT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                    b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
  Value* toward_zero = b_.CreateSub(bits, b_.CreateZExt(outward, word));
  Value* odd = b_.CreateOr(toward_zero, b_.CreateZExt(b_.CreateFCmpONE(back, x), word));
  return b_.CreateFPTrunc(b_.CreateBitCast(odd, float_of(x)), half);
}

}  // namespace krait::codegen
