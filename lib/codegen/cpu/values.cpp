// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowered values: their forms, linear arithmetic, cells and masks.
#include <algorithm>

#include <fmt/format.h>

#include "codegen/cpu/emitter.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

void Emitter::set(ir::ValueId v, Lowered x) {
  if (shape_.lone && x.form == Lowered::Form::Parts) return set_uniform(v, b_.CreateExtractElement(x.v[0], std::uint64_t(0)));
  if (shape_.lone && x.form == Lowered::Form::Linear) return set_uniform(v, x.v[0]);
  values_[v] = std::move(x);
}
llvm::Value* Emitter::scalar(ir::ValueId v) {
  const Lowered& x = values_[v];
  if (x.form != Lowered::Form::Uniform) defect("a varying value where a uniform one is needed");
  return x.v[0];
}

/// Modulo what the type holds.
llvm::ConstantInt* Emitter::integer(llvm::Type* type, std::int64_t n) {
  return llvm::ConstantInt::get(c_, llvm::APInt(64, std::uint64_t(n)).trunc(type->getIntegerBitWidth()));
}

llvm::Constant* Emitter::lane_numbers(llvm::Type* element, std::int64_t step, std::int64_t first) {
  Few<llvm::Constant*> numbers;
  for (unsigned i = 0; i < shape_.lanes; ++i)
    numbers.push_back(integer(element, std::int64_t(std::uint64_t(step) * i + std::uint64_t(first))));
  return llvm::ConstantVector::get(numbers);
}

/// Where the part's lanes lie in the gang along a dimension, or from the part's first lane.
llvm::Constant* Emitter::lane_places(llvm::Type* element, unsigned dim, unsigned p, bool from_part) {
  Few<llvm::Constant*> places;
  const unsigned first = p * shape_.lanes;
  const std::int64_t origin = from_part ? shape_.place(first)[dim] : 0;
  for (unsigned i = 0; i < shape_.lanes; ++i)
    places.push_back(integer(element, std::int64_t(shape_.place(first + i)[dim]) - origin));
  return llvm::ConstantVector::get(places);
}

/// How far the lanes are from the first one, where that is known and not too far for 32 bits.
std::optional<std::vector<std::int64_t>> Emitter::known_steps(const Lowered& x) const {
  if (std::abs(x.step) > 1 << 20) return {};
  std::int64_t step[3] = {x.step, 0, 0};
  for (unsigned d : {1u, 2u}) {
    if (!x.across[d - 1]) continue;
    auto* c = llvm::dyn_cast<llvm::ConstantInt>(x.across[d - 1]);
    if (!c || c->getValue().abs().getActiveBits() > 20) return {};
    step[d] = c->getSExtValue();
  }
  std::vector<std::int64_t> steps;
  for (unsigned lane = 0; lane < shape_.gang(); ++lane) {
    const auto at = shape_.place(lane);
    steps.push_back(step[0] * at[0] + step[1] * at[1] + step[2] * at[2]);
  }
  return steps;
}

llvm::Value* Emitter::base_of_part(const Lowered& x, unsigned p) {
  return x.v.size() > 1 ? x.v[p] : base_of_lane(x, p * shape_.lanes);
}

/// Of a linear value with one base.
llvm::Value* Emitter::base_of_lane(const Lowered& x, unsigned lane) {
  V base = x.v[0];
  llvm::Type* t = base->getType();
  const auto at = shape_.place(lane);
  if (x.step && at[0]) base = b_.CreateAdd(base, integer(t, std::int64_t(std::uint64_t(x.step) * at[0])));
  for (unsigned d : {1u, 2u})
    if (x.across[d - 1] && at[d]) base = b_.CreateAdd(base, b_.CreateMul(x.across[d - 1], integer(t, at[d])));
  return base;
}

llvm::Value* Emitter::part(const Lowered& x, Scalar s, unsigned p) {
  switch (x.form) {
    case Lowered::Form::Uniform: return splat(x.v[0]);
    case Lowered::Form::Linear: {
      V lanes = splat(base_of_part(x, p));
      llvm::Type* t = arith_.scalar_type(s);
      llvm::Constant* along = lane_places(t, 0, p, true);
      if (x.step && !along->isNullValue()) lanes = b_.CreateAdd(lanes, b_.CreateMul(along, splat(integer(t, x.step))));
      for (unsigned d : {1u, 2u}) {
        llvm::Constant* places = lane_places(t, d, p, true);
        if (x.across[d - 1] && !places->isNullValue()) lanes = b_.CreateAdd(lanes, b_.CreateMul(places, splat(x.across[d - 1])));
      }
      return lanes;
    }
    case Lowered::Form::Parts: return x.v[p];
    case Lowered::Form::None: break;
  }
  defect("a value is used before it is lowered");
}

// ---- pure operations --------------------------------------------------------------------------------------------------------

/// Bits b with |v| < 2^b in every thread, or 64.
unsigned Emitter::magnitude(ir::ValueId v, unsigned depth) const {
  const ir::Inst* inst = f_.def(v);
  Scalar s = scalar_of(v);
  unsigned whole = ir::is_signed_int(s) ? ir::bits_of(s) - 1 : ir::bits_of(s);
  unsigned own = whole >= 63 ? 64 : whole;
  if (!inst || depth > 8 || !ir::is_int(s)) return own;
  auto of = [&](unsigned i) { return magnitude(inst->operands[i], depth + 1); };
  unsigned found = 64;
  switch (inst->op) {
    case Op::Const: {
      std::int64_t value = std::int64_t(inst->imm << (64 - ir::bits_of(s))) >> (64 - ir::bits_of(s));
      if (!ir::is_signed_int(s) && value < 0) return own;
      std::uint64_t m = value < 0 ? 0 - std::uint64_t(value) : std::uint64_t(value);
      found = 64 - unsigned(std::countl_zero(m));
      break;
    }
    case Op::ThreadIdx:
    case Op::BlockDim: found = 24; break;  // the runtime's limits
    case Op::BlockIdx:
    case Op::GridDim: found = 47; break;
    case Op::GlobalId:
    case Op::GlobalSize: found = 58; break;
    case Op::Extent: found = f_.facts.small ? 31 : 60; break;
    case Op::LaneId: found = 5; break;
    case Op::Add:
    case Op::Sub: found = std::max(of(0), of(1)) + 1; break;
    case Op::Min:
    case Op::Max: found = std::max(of(0), of(1)); break;
    case Op::Mul: found = of(0) + of(1); break;
    case Op::Shr: found = of(0); break;  // rounds down: of -1 that is -1
    case Op::And:
    case Op::Div: {
      const ir::ValueId c = inst->operands[1];
      if (!f_.is_const(c) || f_.const_bits(c) == 0 || (ir::is_signed_int(s) && f_.const_bits(c) >> whole & 1)) return own;
      found = inst->op == Op::And ? magnitude(c, depth + 1) : of(0);
      break;
    }
    case Op::Cast: {
      if (!ir::is_int(scalar_of(inst->operands[0]))) return own;
      found = of(0);
      break;
    }
    default: return own;
  }
  // A value that may be negative has no bound as an unsigned one.
  if (!ir::is_signed_int(s) && inst->op != Op::Const) return own;
  return found <= whole ? found : own;
}

bool Emitter::emit_linear(const ir::Inst& inst) {
  using Form = Lowered::Form;
  if (inst.results.size() != 1 || !ir::is_int(inst.type.scalar)) return false;
  if (inst.op != Op::Add && inst.op != Op::Sub && inst.op != Op::Mul && inst.op != Op::Cast) return false;
  for (ir::ValueId v : inst.operands)
    if (get(v).form != Form::Linear && get(v).form != Form::Uniform) return false;
  const Lowered& x = get(inst.operands[0]);
  Scalar s = inst.type.scalar, from = scalar_of(inst.operands[0]);
  Lowered r{Form::Linear, {}, 0};
  if (inst.op == Op::Cast) {
    if (!ir::is_int(from)) return false;
    // A wider type sees where the narrow one wraps.
    bool widens = ir::bits_of(s) > ir::bits_of(from);
    if (widens && (!ir::is_signed_int(from) || magnitude(inst.operands[0]) >= ir::bits_of(from) - 1)) return false;
    for (V base : x.v) r.v.push_back(arith_.cast(base, from, s));
    for (unsigned d : {0u, 1u})
      if (x.across[d]) r.across[d] = arith_.cast(x.across[d], from, s);
    r.step = x.step;
    return set(inst.results[0], std::move(r)), true;
  }
  const Lowered& y = get(inst.operands[1]);
  if (inst.op == Op::Mul) {
    const Lowered& linear = x.form == Form::Linear ? x : y;
    const Lowered& factor = x.form == Form::Linear ? y : x;
    auto* c = factor.form == Form::Uniform ? llvm::dyn_cast<llvm::ConstantInt>(factor.v[0]) : nullptr;
    bool rows = linear.step == 0 && factor.form == Form::Uniform;  // uniform in each part, or each row of a brick
    if (!rows && (!c || c->getValue().abs().getActiveBits() > 20)) return false;
    for (V base : linear.v) r.v.push_back(b_.CreateMul(base, factor.v[0]));
    for (unsigned d : {0u, 1u})
      if (linear.across[d]) r.across[d] = b_.CreateMul(linear.across[d], factor.v[0]);
    r.step = rows ? 0 : linear.step * c->getSExtValue();
    return set(inst.results[0], std::move(r)), true;
  }
  bool add = inst.op == Op::Add;
  bool per_part = x.v.size() > 1 || y.v.size() > 1;
  for (unsigned p = 0; p < (per_part ? shape_.parts : 1); ++p) {
    V u = per_part ? base_of_part(x, p) : x.v[0], w = per_part ? base_of_part(y, p) : y.v[0];
    r.v.push_back(add ? b_.CreateAdd(u, w) : b_.CreateSub(u, w));
  }
  for (unsigned d : {0u, 1u}) {
    V u = x.across[d], w = y.across[d];
    if (u && w) r.across[d] = add ? b_.CreateAdd(u, w) : b_.CreateSub(u, w);
    else r.across[d] = w && !add ? b_.CreateNeg(w) : u ? u : w;
  }
  r.step = add ? x.step + y.step : x.step - y.step;
  return set(inst.results[0], std::move(r)), true;
}

/// Of the thread's place in its row, whose gangs begin at multiples of their size: what is above the gang's bits is one number, what
/// is below differs from lane to lane in the same way in every gang.
bool Emitter::emit_row_part(const ir::Inst& inst) {
  if (shape_.layout != Layout::Rows) return false;
  const std::optional<RowPart> part = row_part_of(f_, inst);
  if (!part) return false;
  const std::int64_t size = std::int64_t(1) << part->bits;
  auto* type = llvm::cast<llvm::IntegerType>(arith_.scalar_type(inst.type.scalar));
  const bool in_grid = f_.insts[f_.values[part->of].def].op == Op::GlobalId;
  const V first = in_grid ? b_.CreateAdd(b_.CreateMul(at_.block[0], launch_block_[0]), at_.x) : at_.x;
  V base = part->high ? b_.CreateLShr(first, part->bits) : b_.CreateAnd(first, b_.getInt64(size - 1));
  base = b_.CreateTrunc(base, type);
  if (size >= shape_.width()) {
    if (part->high) return set_uniform(inst.results[0], base), true;
    if (size == shape_.width()) base = llvm::ConstantInt::get(type, 0);
    return set(inst.results[0], {Lowered::Form::Linear, {base}, 1}), true;
  }
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V lanes = lane_places(type, 0, p);
    r.v.push_back(part->high ? b_.CreateAdd(splat(base), b_.CreateLShr(lanes, part->bits))
                             : b_.CreateAnd(lanes, splat(llvm::ConstantInt::get(type, std::uint64_t(size - 1)))));
  }
  return set(inst.results[0], std::move(r)), true;
}

/// base + lane < bound is lane < bound - base: a comparison of 32-bit lane numbers, or steps, instead of 64-bit indices.
bool Emitter::emit_linear_compare(const ir::Inst& inst) {
  switch (inst.op) {
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: break;
    default: return false;
  }
  Op op = inst.op;
  ir::ValueId linear = inst.operands[0], bound = inst.operands[1];
  if (get(linear).form == Lowered::Form::Uniform) {
    std::swap(linear, bound);
    op = op == Op::Lt ? Op::Gt : op == Op::Le ? Op::Ge : op == Op::Gt ? Op::Lt : Op::Le;
  }
  const Lowered& x = get(linear);
  if (scalar_of(linear) != Scalar::I64 || x.form != Lowered::Form::Linear || (x.step != 1 && !shape_.is_brick())) return false;
  if (get(bound).form != Lowered::Form::Uniform || magnitude(linear) > 61) return false;
  const auto steps = known_steps(x);
  if (!steps) return false;
  V limit = scalar(bound);
  if (magnitude(bound) > 61) {
    limit = arith_.min_max(true, Scalar::I64, limit, b_.getInt64(std::int64_t(1) << 61));
    limit = arith_.min_max(false, Scalar::I64, limit, b_.getInt64(-(std::int64_t(1) << 61)));
  }
  using P = llvm::CmpInst::Predicate;
  P predicate = op == Op::Lt ? P::ICMP_SLT : op == Op::Le ? P::ICMP_SLE : op == Op::Gt ? P::ICMP_SGT : P::ICMP_SGE;
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) {
    const auto first = steps->begin() + p * shape_.lanes, end = first + shape_.lanes;
    Few<llvm::Constant*> lanes;
    for (auto step = first; step != end; ++step) lanes.push_back(integer(b_.getInt32Ty(), *step - *first));
    V rest = b_.CreateSub(limit, base_of_part(x, p));
    rest = arith_.min_max(true, Scalar::I64, rest, b_.getInt64(*std::max_element(first, end) - *first + 1));
    rest = arith_.min_max(false, Scalar::I64, rest, b_.getInt64(*std::min_element(first, end) - *first - 1));
    V narrow = splat(b_.CreateTrunc(rest, b_.getInt32Ty()));
    r.v.push_back(b_.CreateICmp(predicate, llvm::ConstantVector::get(lanes), narrow));
  }
  return set(inst.results[0], std::move(r)), true;
}

void Emitter::emit_pure(const ir::Inst& inst) {
  bool varies = std::any_of(inst.operands.begin(), inst.operands.end(), [&](ir::ValueId v) { return !uniform(v); });
  Scalar operand = inst.operands.empty() ? Scalar::Void : scalar_of(inst.operands[0]);
  if (inst.op == Op::Select) operand = inst.type.scalar;
  Few<V> x;
  if (!varies) {
    for (ir::ValueId v : inst.operands) x.push_back(scalar(v));
    set_uniform(inst.results[0], arith_.pure(inst, f_.fp, operand, x));
    return;
  }
  if (emit_row_part(inst) || emit_flip(inst) || emit_linear(inst) || emit_flip_compare(inst) || emit_linear_compare(inst)) return;
  note_pure(inst);
  if (emit_close_quotients(inst)) return;
  Lowered r{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) {
    x.clear();
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
      ir::ValueId v = inst.operands[i];
      x.push_back(inst.op == Op::Select && i == 0 && uniform(v) ? scalar(v) : part(v, p));
    }
    r.v.push_back(pure_part(inst, operand, x));
  }
  set(inst.results[0], std::move(r));
}

/// On vectors an operation of integers may be dozens of instructions, of which instruction selection asks again and again what bits they
/// can have: half of its time for a kernel that counts bits at 16 places. Quick code calls such an operation.
llvm::Value* Emitter::pure_part(const ir::Inst& inst, Scalar operand, llvm::ArrayRef<V> x) {
  const bool long_one = ir::is_int(operand) && ir::info(inst.op).cost != ir::Cost::Quick;
  if (!long_one || shape_.lanes == 1 || !shape_.machine.quick || std::any_of(x.begin(), x.end(), llvm::IsaPred<llvm::Constant>))
    return arith_.pure(inst, f_.fp, operand, x);
  const std::string name = fmt::format("{}.{}", ir::info(inst.op).name, ir::name_of(operand));
  llvm::Function* function = m_.getFunction(name);
  if (!function) {
    std::vector<llvm::Type*> types;
    for (V v : x) types.push_back(v->getType());
    function = llvm::Function::Create(llvm::FunctionType::get(lane_type(inst.type.scalar), types, false),
                                      llvm::GlobalValue::InternalLinkage, name, m_);
    set_machine(*function);
    function->addFnAttr(llvm::Attribute::NoInline);
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(llvm::BasicBlock::Create(c_, "", function));
    b_.SetCurrentDebugLocation({});
    Few<V> parameters;
    for (llvm::Argument& a : function->args()) parameters.push_back(&a);
    b_.CreateRet(arith_.pure(inst, f_.fp, operand, parameters));
  }
  return b_.CreateCall(function, x);
}

// ---- cells ------------------------------------------------------------------------------------------------------------------

Cell Emitter::make_cell(Scalar s, bool uniform, const char* name) {
  Cell cell{s, uniform, {}};
  llvm::IRBuilder<> top(allocas_);
  llvm::Type* t = arith_.type(s, uniform ? 0 : shape_.lanes);
  for (unsigned p = 0; p < (uniform ? 1 : shape_.parts); ++p) cell.at.push_back(top.CreateAlloca(t, nullptr, name));
  return cell;
}
Cell Emitter::make_mask_cell(const char* name) { return make_cell(Scalar::Bool, false, name); }

Lowered Emitter::read(const Cell& c) {
  Lowered x{c.uniform ? Lowered::Form::Uniform : Lowered::Form::Parts, {}, 0};
  llvm::Type* t = arith_.type(c.type, c.uniform ? 0 : shape_.lanes);
  for (V at : c.at) x.v.push_back(b_.CreateLoad(t, at));
  return x;
}
void Emitter::write(const Cell& c, const Lowered& x) {
  for (unsigned p = 0; p < c.at.size(); ++p) b_.CreateStore(c.uniform ? x.v[0] : part(x, c.type, p), c.at[p]);
}
void Emitter::blend(const Cell& c, const Lowered& x, const Mask& mask) {
  if (c.uniform || mask.all()) return write(c, x);
  Lowered old = read(c);
  for (unsigned p = 0; p < c.at.size(); ++p)
    b_.CreateStore(b_.CreateSelect(mask.parts[p], part(x, c.type, p), old.v[p]), c.at[p]);
}
Mask Emitter::read_mask(const Cell& c) { return {read(c).v}; }
void Emitter::write_mask(const Cell& c, const Mask& m) {
  for (unsigned p = 0; p < shape_.parts; ++p) b_.CreateStore(mask_part(m, p), c.at[p]);
}

// ---- masks ------------------------------------------------------------------------------------------------------------------

llvm::Value* Emitter::no_lane() { return llvm::Constant::getNullValue(lane_type(Scalar::Bool)); }
llvm::Value* Emitter::every_lane() { return llvm::Constant::getAllOnesValue(lane_type(Scalar::Bool)); }
llvm::Value* Emitter::mask_part(const Mask& m, unsigned p) { return m.all() ? every_lane() : m.parts[p]; }

Mask Emitter::both(const Mask& a, const Mask& b) {
  if (a.all()) return b;
  if (b.all()) return a;
  Mask r;
  for (unsigned p = 0; p < shape_.parts; ++p) r.parts.push_back(b_.CreateAnd(a.parts[p], b.parts[p]));
  return r;
}
Mask Emitter::either(const Mask& a, const Mask& b) {
  if (a.all() || b.all()) return {};
  Mask r;
  for (unsigned p = 0; p < shape_.parts; ++p) r.parts.push_back(b_.CreateOr(a.parts[p], b.parts[p]));
  return r;
}

llvm::Value* Emitter::mask_bits(V part) { return b_.CreateBitCast(part, b_.getIntNTy(shape_.lanes)); }

llvm::Value* Emitter::any(const Mask& m) {
  if (m.all()) return b_.getTrue();
  V joined = m.parts[0];
  for (unsigned p = 1; p < shape_.parts; ++p) joined = b_.CreateOr(joined, m.parts[p]);
  return b_.CreateICmpNE(mask_bits(joined), b_.getIntN(shape_.lanes, 0));
}

llvm::Value* Emitter::every(const Mask& m) {
  if (m.all()) return b_.getTrue();
  const auto of_part = [&](unsigned p) {
    return full_.all() ? m.parts[p] : b_.CreateOr(m.parts[p], b_.CreateNot(full_.parts[p]));
  };
  V joined = of_part(0);
  for (unsigned p = 1; p < shape_.parts; ++p) joined = b_.CreateAnd(joined, of_part(p));
  return b_.CreateICmpEQ(mask_bits(joined), llvm::ConstantInt::getAllOnesValue(b_.getIntNTy(shape_.lanes)));
}

// ---- blocks -----------------------------------------------------------------------------------------------------------------

llvm::BasicBlock* Emitter::new_block(const char* name) { return llvm::BasicBlock::Create(c_, name, function_); }
void Emitter::branch_to(Block target) {
  b_.CreateBr(target);
  open_ = false;
}
void Emitter::start(Block block) {
  b_.SetInsertPoint(block);
  open_ = true;
}

}  // namespace krait::codegen::cpu
