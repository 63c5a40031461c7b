// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of the IR on LLVM scalars and vectors.
#include "codegen/llvm/numeric.h"

#include <array>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include "codegen/reply.h"

namespace krait::codegen {

using ir::Op;
using ir::Scalar;
using llvm::Value;
using llvm::Intrinsic::ID;

llvm::Type* value_type(llvm::LLVMContext& context, Scalar s) {
  if (s == Scalar::F16) return llvm::Type::getHalfTy(context);
  if (s == Scalar::F32) return llvm::Type::getFloatTy(context);
  if (s == Scalar::F64) return llvm::Type::getDoubleTy(context);
  return s == Scalar::Void ? llvm::Type::getVoidTy(context)
                           : llvm::Type::getIntNTy(context, ir::bits_of(s));
}

llvm::Type* memory_type(llvm::LLVMContext& context, Scalar s) {
  return s == Scalar::Bool ? llvm::Type::getInt8Ty(context) : value_type(context, s);
}

llvm::AtomicOrdering ordering(ir::Order order) {
  switch (order) {
    case ir::Order::Relaxed: return llvm::AtomicOrdering::Monotonic;
    case ir::Order::Acquire: return llvm::AtomicOrdering::Acquire;
    case ir::Order::Release: return llvm::AtomicOrdering::Release;
    case ir::Order::AcquireRelease: return llvm::AtomicOrdering::AcquireRelease;
    case ir::Order::Sequential: break;
  }
  return llvm::AtomicOrdering::SequentiallyConsistent;
}

llvm::MDNode* branch_weights(llvm::LLVMContext& context, ir::Expected mostly) {
  llvm::MDBuilder make(context);
  switch (mostly) {
    case ir::Expected::Likely: return make.createLikelyBranchWeights();
    case ir::Expected::Unlikely: return make.createUnlikelyBranchWeights();
    case ir::Expected::Nothing: break;
  }
  return nullptr;
}

llvm::Constant* literal(llvm::LLVMContext& context, Scalar s, std::uint64_t bits) {
  llvm::APInt value(64, bits);
  auto* integer = llvm::ConstantInt::get(context, value.trunc(ir::bits_of(s)));
  llvm::Type* type = value_type(context, s);
  return type->isIntegerTy()
             ? integer
             : llvm::cast<llvm::Constant>(llvm::ConstantFP::get(
                   context, llvm::APFloat(type->getFltSemantics(), value.trunc(ir::bits_of(s)))));
}

llvm::Type* Numeric::shaped(llvm::Type* like, llvm::Type* element) {
  auto* vector = llvm::dyn_cast<llvm::VectorType>(like);
  return vector ? llvm::VectorType::get(element, vector->getElementCount()) : element;
}

llvm::Type* Numeric::scalar_type(Scalar s) const { return value_type(b_.getContext(), s); }

Value* Numeric::emit(Op op, Scalar result, Scalar s, std::span<Value* const> x) {
  if (op == Op::Select) return b_.CreateSelect(x[0], x[1], x[2]);
  if (op == Op::Cast) return cast(x[0], s, result);
  if (op == Op::Bitcast)
    return b_.CreateBitCast(x[0], shaped(x[0]->getType(), scalar_type(result)));
  if (s == Scalar::F16)
    if (Value* v = half(op, result, x)) return v;
  if (ir::info(op).rule == ir::Rule::Compare) return compare(op, s, x[0], x[1]);
  return ir::is_float(s) ? floating(op, s, x) : integer(op, s, x);
}

Value* Numeric::through_float(Op op, Scalar result, std::span<Value* const> x) {
  std::array<Value*, 3> wide{};
  for (std::size_t i = 0; i < x.size(); ++i) wide[i] = cast_half(x[i], Scalar::F16, Scalar::F32);
  const bool is_half = result == Scalar::F16;
  Value* y =
      emit(op, is_half ? Scalar::F32 : result, Scalar::F32, std::span(wide.data(), x.size()));
  return is_half ? cast_half(y, Scalar::F32, Scalar::F16) : y;
}

Value* Numeric::integer(Op op, Scalar s, std::span<Value* const> x) {
  using namespace llvm::Intrinsic;
  const bool is_signed = ir::is_signed_int(s);
  llvm::Type* type = x[0]->getType();
  // widths are powers of two below 2^8: the low bits of the count decide
  const auto shift_count = [&] {
    return b_.CreateAnd(b_.CreateZExtOrTrunc(x[1], type),
                        llvm::ConstantInt::get(type, ir::bits_of(s) - 1));
  };
  const auto counted = [&](Value* n) {
    return b_.CreateZExtOrTrunc(n, shaped(type, b_.getInt32Ty()));
  };
  switch (op) {
    case Op::Add: return b_.CreateAdd(x[0], x[1]);
    case Op::Sub: return b_.CreateSub(x[0], x[1]);
    case Op::Mul: return b_.CreateMul(x[0], x[1]);
    case Op::Div:
    case Op::Rem: return divide(op, s, x[0], x[1]);
    case Op::Neg: return b_.CreateNeg(x[0]);
    case Op::Abs:
      return is_signed ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x[0], b_.getFalse()) : x[0];
    case Op::Min:
    case Op::Max: return min_max(op == Op::Min, s, x[0], x[1]);
    case Op::And: return b_.CreateAnd(x[0], x[1]);
    case Op::Or: return b_.CreateOr(x[0], x[1]);
    case Op::Xor: return b_.CreateXor(x[0], x[1]);
    case Op::Not: return b_.CreateNot(x[0]);
    case Op::Shl: return b_.CreateShl(x[0], shift_count());
    case Op::Shr:
      return is_signed ? b_.CreateAShr(x[0], shift_count()) : b_.CreateLShr(x[0], shift_count());
    case Op::Popcount: return counted(b_.CreateUnaryIntrinsic(ID(ctpop), x[0]));
    case Op::Clz: return counted(b_.CreateBinaryIntrinsic(ID(ctlz), x[0], b_.getFalse()));
    case Op::Ctz: return counted(b_.CreateBinaryIntrinsic(ID(cttz), x[0], b_.getFalse()));
    case Op::Bitrev: return b_.CreateUnaryIntrinsic(ID(bitreverse), x[0]);
    case Op::Bswap: return ir::bits_of(s) == 8 ? x[0] : b_.CreateUnaryIntrinsic(ID(bswap), x[0]);
    case Op::MulHi: return multiply_high(s, x[0], x[1]);
    case Op::AddSat:
      return b_.CreateBinaryIntrinsic(is_signed ? ID(sadd_sat) : ID(uadd_sat), x[0], x[1]);
    case Op::SubSat:
      return b_.CreateBinaryIntrinsic(is_signed ? ID(ssub_sat) : ID(usub_sat), x[0], x[1]);
    case Op::Select:       // by `emit` itself, as comparisons and conversions
    case Op::BytePermute:  // by expand_ops or the target's lowering
    case Op::DotBytes:
    case Op::DotMixed:
    case Op::DotPairs:
#define KRAIT_COMPARISON(Name, ...) case Op::Name:
#define KRAIT_CONVERSION(Name, ...) case Op::Name:
#define KRAIT_REAL(Name, ...) case Op::Name:
#include "krait/ops.def"
      // Not operations on values alone: the lowerings' own.
#define KRAIT_OP(Name, ...) case Op::Name:
#define KRAIT_VALUE(...)
#include "krait/ops.def"
      break;
  }
  defect("integers have no operation " + std::string(ir::info(op).name));
}

Value* Numeric::floating(Op op, Scalar s, std::span<Value* const> x) {
  using namespace llvm::Intrinsic;
  switch (op) {
    case Op::Add: return b_.CreateFAdd(x[0], x[1]);
    case Op::Sub: return b_.CreateFSub(x[0], x[1]);
    case Op::Mul: return b_.CreateFMul(x[0], x[1]);
    case Op::Div: return b_.CreateFDiv(x[0], x[1]);
    case Op::Fma: return fma(s, x[0], x[1], x[2]);
    case Op::Neg: return b_.CreateFNeg(x[0]);
    case Op::Abs: return b_.CreateUnaryIntrinsic(ID(fabs), x[0]);
    case Op::Min:
    case Op::Max: return min_max(op == Op::Min, s, x[0], x[1]);
    case Op::Sqrt: return b_.CreateUnaryIntrinsic(ID(sqrt), x[0]);
    case Op::Floor: return b_.CreateUnaryIntrinsic(ID(floor), x[0]);
    case Op::Ceil: return b_.CreateUnaryIntrinsic(ID(ceil), x[0]);
    case Op::Trunc: return b_.CreateUnaryIntrinsic(ID(trunc), x[0]);
    case Op::Rint: return b_.CreateUnaryIntrinsic(ID(roundeven), x[0]);
    case Op::Copysign: return b_.CreateBinaryIntrinsic(ID(copysign), x[0], x[1]);
    case Op::Isnan: return b_.CreateFCmpUNO(x[0], x[0]);
    case Op::Isinf:
      return b_.CreateFCmpOEQ(b_.CreateUnaryIntrinsic(ID(fabs), x[0]),
                              llvm::ConstantFP::getInfinity(x[0]->getType()));
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
#define KRAIT_INTEGER(Name, ...) case Op::Name:
#include "krait/ops.def"
    case Op::DotPairs:
    // As among the integers.
    case Op::Select:
#define KRAIT_COMPARISON(Name, ...) case Op::Name:
#define KRAIT_CONVERSION(Name, ...) case Op::Name:
#include "krait/ops.def"
#define KRAIT_OP(Name, ...) case Op::Name:
#define KRAIT_VALUE(...)
#include "krait/ops.def"
      break;
  }
  defect("floats have no operation " + std::string(ir::info(op).name));
}

Value* Numeric::compare(Op op, Scalar s, Value* x, Value* y) {
  using P = llvm::CmpInst::Predicate;
  const bool real = ir::is_float(s), is_signed = ir::is_signed_int(s);
  const auto pick = [&](P of_floats, P of_signed, P of_unsigned) {
    return real ? of_floats : is_signed ? of_signed : of_unsigned;
  };
  switch (op) {
    case Op::Eq: return b_.CreateCmp(pick(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ), x, y);
    case Op::Ne: return b_.CreateCmp(pick(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE), x, y);
    case Op::Lt: return b_.CreateCmp(pick(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT), x, y);
    case Op::Le: return b_.CreateCmp(pick(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE), x, y);
    case Op::Gt: return b_.CreateCmp(pick(P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT), x, y);
    case Op::Ge: return b_.CreateCmp(pick(P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE), x, y);
    default: defect("not a comparison");
  }
}

Value* Numeric::min_max(bool min, Scalar s, Value* x, Value* y) {
  using namespace llvm::Intrinsic;
  if (ir::is_float(s)) return float_min_max(min, s, x, y);
  return b_.CreateBinaryIntrinsic(
      ir::is_signed_int(s) ? (min ? ID(smin) : ID(smax)) : (min ? ID(umin) : ID(umax)), x, y);
}

Value* Numeric::multiply_high(Scalar s, Value* x, Value* y) {
  llvm::Type *type = x->getType(), *wide = shaped(type, b_.getIntNTy(ir::bits_of(s) * 2));
  const auto extend = [&](Value* v) {
    return ir::is_signed_int(s) ? b_.CreateSExt(v, wide) : b_.CreateZExt(v, wide);
  };
  Value* product = b_.CreateMul(extend(x), extend(y));
  return b_.CreateTrunc(b_.CreateLShr(product, llvm::ConstantInt::get(wide, ir::bits_of(s))), type);
}

Value* Numeric::cast(Value* x, Scalar from, Scalar to) {
  if (from == to) return x;
  if (from == Scalar::F16 || to == Scalar::F16) return cast_half(x, from, to);
  llvm::Type* type = shaped(x->getType(), scalar_type(to));
  const bool real = ir::is_float(from), is_signed = ir::is_signed_int(from);
  if (to == Scalar::Bool) {
    llvm::Constant* zero = llvm::Constant::getNullValue(x->getType());
    return real ? b_.CreateFCmpUNE(x, zero) : b_.CreateICmpNE(x, zero);
  }
  if (real && ir::is_int(to)) return saturate(x, to);
  if (real)
    return ir::size_of(from) < ir::size_of(to) ? b_.CreateFPExt(x, type)
                                               : b_.CreateFPTrunc(x, type);
  if (ir::is_float(to)) return is_signed ? b_.CreateSIToFP(x, type) : b_.CreateUIToFP(x, type);
  return is_signed ? b_.CreateSExtOrTrunc(x, type) : b_.CreateZExtOrTrunc(x, type);
}

}  // namespace krait::codegen
