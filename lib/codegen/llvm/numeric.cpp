// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of the IR on LLVM scalars and vectors. Conversions are in convert.cpp.
#include "codegen/llvm/numeric.h"

#include <array>

#include <llvm/IR/Intrinsics.h>

#include "codegen/reply.h"

namespace krait::codegen {

using ir::Op;
using ir::Scalar;
using llvm::Intrinsic::ID;
using llvm::Value;

llvm::Type* value_type(llvm::LLVMContext& context, Scalar s) {
  if (s == Scalar::F16) return llvm::Type::getHalfTy(context);
  if (s == Scalar::F32) return llvm::Type::getFloatTy(context);
  if (s == Scalar::F64) return llvm::Type::getDoubleTy(context);
  return s == Scalar::Void ? llvm::Type::getVoidTy(context) : llvm::Type::getIntNTy(context, ir::bits_of(s));
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

llvm::Constant* literal(llvm::LLVMContext& context, Scalar s, std::uint64_t bits) {
  llvm::APInt value(64, bits);
  auto* integer = llvm::ConstantInt::get(context, value.trunc(ir::bits_of(s)));
  llvm::Type* type = value_type(context, s);
  return type->isIntegerTy() ? integer : llvm::cast<llvm::Constant>(llvm::ConstantFP::get(context,
      llvm::APFloat(type->getFltSemantics(), value.trunc(ir::bits_of(s)))));
}

llvm::Type* Numeric::shaped(llvm::Type* like, llvm::Type* element) {
  auto* vector = llvm::dyn_cast<llvm::VectorType>(like);
  return vector ? llvm::VectorType::get(element, vector->getElementCount()) : element;
}

llvm::Constant* Numeric::float_constant(llvm::Type* type, double value) { return llvm::ConstantFP::get(type, value); }

Value* Numeric::intrinsic(unsigned id, std::span<Value* const> x) {
  return b_.CreateIntrinsic(ID(id), {x[0]->getType()}, llvm::ArrayRef(x.data(), x.size()));
}

Value* Numeric::emit(Op op, Scalar result, Scalar operand, std::span<Value* const> x, bool fast) {
  if (op == Op::Select) return b_.CreateSelect(x[0], x[1], x[2]);
  if (op == Op::Cast) return cast(x[0], operand, result);
  if (op == Op::Bitcast) return b_.CreateBitCast(x[0], shaped(x[0]->getType(), value_type(b_.getContext(), result)));
  if (op == Op::Shl || op == Op::Shr) return shift(op, x[0], x[1], ir::is_signed_int(operand));
  if (operand == Scalar::F16 && !traits_.half_arithmetic) return emit_half(op, x);
  if (ir::info(op).rule == ir::Rule::Compare) return compare(op, x[0], x[1], operand);
  return emit_plain(op, x, operand, fast);
}

// What f16 lacks goes through float: exact for + - × ÷ and the root, since 24 bits are at least 2·11 + 2. fma needs double: the
// product has 22 bits, and where the sum does not fit 53 the smaller term is below half a unit of the larger, which is a half.
Value* Numeric::emit_half(Op op, std::span<Value* const> x) {
  llvm::Type* half = x[0]->getType();
  if (op == Op::Neg) return b_.CreateFNeg(x[0]);
  if (op == Op::Fma) {
    std::array<Value*, 3> wide;
    for (int i = 0; i < 3; ++i) wide[i] = b_.CreateFPExt(x[i], shaped(half, b_.getDoubleTy()));
    return half_from_double(b_.CreateFAdd(b_.CreateFMul(wide[0], wide[1]), wide[2]));
  }
  std::array<Value*, 3> wide{};
  for (std::size_t i = 0; i < x.size(); ++i) wide[i] = b_.CreateFPExt(x[i], float_of(x[i]));
  if (ir::info(op).rule == ir::Rule::Compare) return compare(op, wide[0], wide[1], Scalar::F32);
  Value* y = emit_plain(op, std::span(wide.data(), x.size()), Scalar::F32, false);
  return ir::info(op).rule == ir::Rule::Test ? y : b_.CreateFPTrunc(y, half);
}

Value* Numeric::approximate(Op op, std::span<Value* const> x, bool fast) {
  llvm::FastMathFlags flags;
  flags.setApproxFunc(fast);
  flags.setAllowReciprocal(fast);
  llvm::IRBuilderBase::FastMathFlagGuard guard(b_);
  b_.setFastMathFlags(flags);
  return op == Op::Div ? b_.CreateFDiv(x[0], x[1]) : intrinsic(llvm::Intrinsic::sqrt, x);
}

Value* Numeric::emit_plain(Op op, std::span<Value* const> x, Scalar s, bool fast) {
  // No target divides halves, takes their root or rounds them to integers; the detour through float is exact or rounds once.
  if (s == Scalar::F16 && (op == Op::Div || op == Op::Min || op == Op::Max || op == Op::Sqrt || op == Op::Floor ||
                           op == Op::Ceil || op == Op::Trunc || op == Op::Rint))
    return emit_half(op, x);
  bool real = ir::is_float(s), is_signed = ir::is_signed_int(s);
  llvm::Type* type = x[0]->getType();
  switch (op) {
    case Op::Add: return real ? b_.CreateFAdd(x[0], x[1]) : b_.CreateAdd(x[0], x[1]);
    case Op::Sub: return real ? b_.CreateFSub(x[0], x[1]) : b_.CreateSub(x[0], x[1]);
    case Op::Mul: return real ? b_.CreateFMul(x[0], x[1]) : b_.CreateMul(x[0], x[1]);
    case Op::Div: return real ? approximate(op, x, fast) : divide(x[0], x[1], is_signed, false);
    case Op::Rem: return divide(x[0], x[1], is_signed, true);
    case Op::Fma: return intrinsic(llvm::Intrinsic::fma, x);
    case Op::Neg: return real ? b_.CreateFNeg(x[0]) : b_.CreateNeg(x[0]);
    case Op::Abs:
      if (real) return intrinsic(llvm::Intrinsic::fabs, x);
      return is_signed ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x[0], b_.getFalse()) : x[0];
    case Op::Min: return min_max(x[0], x[1], s, false);
    case Op::Max: return min_max(x[0], x[1], s, true);
    case Op::And: return b_.CreateAnd(x[0], x[1]);
    case Op::Or: return b_.CreateOr(x[0], x[1]);
    case Op::Xor: return b_.CreateXor(x[0], x[1]);
    case Op::Not: return b_.CreateNot(x[0]);
    case Op::Sqrt: return approximate(op, x, fast);
    case Op::Floor: return intrinsic(llvm::Intrinsic::floor, x);
    case Op::Ceil: return intrinsic(llvm::Intrinsic::ceil, x);
    case Op::Trunc: return intrinsic(llvm::Intrinsic::trunc, x);
    case Op::Rint: return intrinsic(llvm::Intrinsic::roundeven, x);
    case Op::Copysign: return intrinsic(llvm::Intrinsic::copysign, x);
    case Op::Isnan: return b_.CreateFCmpUNO(x[0], llvm::Constant::getNullValue(type));
    case Op::Isinf: return b_.CreateFCmpOEQ(intrinsic(llvm::Intrinsic::fabs, x), llvm::ConstantFP::getInfinity(type));
    case Op::Popcount: case Op::Clz: case Op::Ctz: return count_bits(op, x[0]);
    case Op::Bitrev: return intrinsic(llvm::Intrinsic::bitreverse, x);
    case Op::Bswap: return type->getScalarSizeInBits() == 8 ? x[0] : intrinsic(llvm::Intrinsic::bswap, x);
    case Op::MulHi: return multiply_high(x[0], x[1], is_signed);
    case Op::AddSat: return intrinsic(is_signed ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::uadd_sat, x);
    case Op::SubSat: return intrinsic(is_signed ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::usub_sat, x);
    // Lowered by `emit` itself, or of one target.
    case Op::Eq: case Op::Ne: case Op::Lt: case Op::Le: case Op::Gt: case Op::Ge: case Op::Shl: case Op::Shr:
    case Op::Select: case Op::Cast: case Op::CastSat: case Op::Bitcast: case Op::BytePermute:
    // Not operations on values alone: the lowerings' own.
#define KRAIT_OP(Name, ...) case Op::Name:
#define KRAIT_VALUE(...)
#include "krait/ops.def"
      break;
  }
  defect("numeric: no lowering of " + std::string(ir::info(op).name));
}

Value* Numeric::compare(Op op, Value* x, Value* y, Scalar s) {
  using P = llvm::CmpInst::Predicate;
  struct Row { P real, with_sign, without_sign; };
  auto row = [op]() -> Row {
    switch (op) {
      case Op::Eq: return {P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ};
      case Op::Ne: return {P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE};
      case Op::Lt: return {P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT};
      case Op::Le: return {P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE};
      case Op::Gt: return {P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT};
      case Op::Ge: return {P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE};
      default: defect("numeric: not a comparison");
    }
  }();
  if (ir::is_float(s)) return b_.CreateFCmp(row.real, x, y);
  return b_.CreateICmp(ir::is_signed_int(s) ? row.with_sign : row.without_sign, x, y);
}

Value* Numeric::min_max(Value* x, Value* y, Scalar s, bool max) {
  using namespace llvm::Intrinsic;
  if (!ir::is_float(s)) {
    bool is_signed = ir::is_signed_int(s);
    return b_.CreateBinaryIntrinsic(max ? (is_signed ? ID(smax) : ID(umax)) : (is_signed ? ID(smin) : ID(umin)), x, y);
  }
  if (traits_.minimum_number) return b_.CreateBinaryIntrinsic(max ? ID(maximumnum) : ID(minimumnum), x, y);
  auto better = [&](Value* p, Value* q) { return max ? b_.CreateFCmpOGT(p, q) : b_.CreateFCmpOLT(p, q); };
  if (llvm::isa<llvm::Constant>(x)) std::swap(x, y);
  const llvm::APFloat* constant = nullptr;
  if (auto* c = llvm::dyn_cast<llvm::Constant>(y)) {
    if (auto* splat = c->getType()->isVectorTy() ? c->getSplatValue() : c; splat && llvm::isa<llvm::ConstantFP>(splat))
      constant = &llvm::cast<llvm::ConstantFP>(splat)->getValueAPF();
  }
  if (constant && !constant->isZero() && !constant->isNaN()) return b_.CreateSelect(better(x, y), x, y);
  // Equal values have equal bits but for zeros of different sign: for those `or` gives -0 and `and` gives +0.
  llvm::Type* bits = shaped(x->getType(), b_.getIntNTy(x->getType()->getScalarSizeInBits()));
  Value *xb = b_.CreateBitCast(x, bits), *yb = b_.CreateBitCast(y, bits);
  Value* equal = b_.CreateBitCast(max ? b_.CreateAnd(xb, yb) : b_.CreateOr(xb, yb), x->getType());
  Value* ordered = b_.CreateSelect(b_.CreateFCmpOEQ(x, y), equal, b_.CreateSelect(better(x, y), x, y));
  return b_.CreateSelect(b_.CreateFCmpUNO(y, y), x, ordered);
}

Value* Numeric::divide(Value* x, Value* y, bool is_signed, bool remainder) {
  llvm::Type* type = x->getType();
  llvm::Constant *zero = llvm::Constant::getNullValue(type), *one = llvm::ConstantInt::get(type, 1);
  llvm::Constant* minus_one = llvm::Constant::getAllOnesValue(type);
  auto plain = [&](Value* by) {
    if (remainder) return is_signed ? b_.CreateSRem(x, by) : b_.CreateURem(x, by);
    return is_signed ? b_.CreateSDiv(x, by) : b_.CreateUDiv(x, by);
  };
  if (auto* c = llvm::dyn_cast<llvm::Constant>(y)) {
    auto* splat = llvm::dyn_cast_or_null<llvm::ConstantInt>(type->isVectorTy() ? c->getSplatValue() : c);
    if (splat && !splat->isZero() && !(is_signed && splat->isMinusOne())) return plain(y);
  }
  Value* by_zero = b_.CreateICmpEQ(y, zero);
  if (!is_signed) {
    Value* result = plain(b_.CreateSelect(by_zero, one, y));
    return b_.CreateSelect(by_zero, zero, result);
  }
  Value* by_minus_one = b_.CreateICmpEQ(y, minus_one);
  Value* result = plain(b_.CreateSelect(b_.CreateOr(by_zero, by_minus_one), one, y));
  if (remainder) return result;  // x % 1 is 0, which is the answer for 0 and -1 too
  return b_.CreateSelect(by_zero, zero, b_.CreateSelect(by_minus_one, b_.CreateNeg(x), result));
}

Value* Numeric::shift(Op op, Value* x, Value* count, bool is_signed) {
  llvm::Type* type = x->getType();
  Value* n = b_.CreateZExtOrTrunc(count, type);  // widths are powers of two below 2^8: the low bits of the count decide
  n = b_.CreateAnd(n, llvm::ConstantInt::get(type, type->getScalarSizeInBits() - 1));
  if (op == Op::Shl) return b_.CreateShl(x, n);
  return is_signed ? b_.CreateAShr(x, n) : b_.CreateLShr(x, n);
}

Value* Numeric::multiply_high(Value* x, Value* y, bool is_signed) {
  llvm::Type* type = x->getType();
  unsigned bits = type->getScalarSizeInBits();
  if (bits < 64 || traits_.wide_multiply) {
    llvm::Type* wide = shaped(type, b_.getIntNTy(bits * 2));
    auto extend = [&](Value* v) { return is_signed ? b_.CreateSExt(v, wide) : b_.CreateZExt(v, wide); };
    return b_.CreateTrunc(b_.CreateLShr(b_.CreateMul(extend(x), extend(y)), bits), type);
  }
  // Four products of 32 bits; the sums of parts below cannot overflow 64 bits.
  auto low = [&](Value* v) { return b_.CreateAnd(v, llvm::ConstantInt::get(type, 0xffffffffu)); };
  auto high = [&](Value* v) { return b_.CreateLShr(v, 32); };
  Value* cross = b_.CreateAdd(b_.CreateMul(high(x), low(y)), high(b_.CreateMul(low(x), low(y))));
  Value* middle = b_.CreateAdd(b_.CreateMul(low(x), high(y)), low(cross));
  Value* result = b_.CreateAdd(b_.CreateMul(high(x), high(y)), b_.CreateAdd(high(cross), high(middle)));
  if (!is_signed) return result;
  // Hacker's Delight 8-3: signed = unsigned - (x < 0 ? y : 0) - (y < 0 ? x : 0).
  result = b_.CreateSub(result, b_.CreateAnd(b_.CreateAShr(x, 63), y));
  return b_.CreateSub(result, b_.CreateAnd(b_.CreateAShr(y, 63), x));
}

Value* Numeric::count_bits(Op op, Value* x) {
  using namespace llvm::Intrinsic;
  Value* n = op == Op::Popcount ? b_.CreateUnaryIntrinsic(ctpop, x)
                                : b_.CreateBinaryIntrinsic(op == Op::Clz ? ID(ctlz) : ID(cttz), x, b_.getFalse());
  return b_.CreateZExtOrTrunc(n, shaped(x->getType(), b_.getInt32Ty()));
}

}  // namespace krait::codegen
