// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points: arguments, and the loops over rows, blocks and gangs around the kernel's body.
#include "codegen/cpu/emitter.h"
#include "ir/shared_lengths.h"
#include "ir/walk.h"
#include "support/tuning_cpu.h"

#include <llvm/IR/MDBuilder.h>

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;
using What = ir::ArgumentSlot::What;

Emitter::Emitter(llvm::Module& module, Functions& functions, const ir::Function& f, const Shape& shape, const Traits& traits,
                 bool whole_block, bool lines, CpuCode& own)
    : c_(module.getContext()),
      m_(module),
      functions_(functions),
      f_(f),
      shape_(shape),
      traits_(traits),
      whole_block_(whole_block),
      wants_lines_(lines),
      own_(own),
      b_(module.getContext()),
      arith_(b_, shape_.machine, [this](CpuHelper h) { return helpers_[unsigned(h)]; }),
      layout_(functions.envelope.arguments) {
  values_.resize(f.values.size());
  uses_ = ir::use_counts(f);
  ir::for_each_inst(f, [&](ir::InstId, ir::RegionId) { ++operations_; });
  later_.resize(f.insts.size());
  loaded_.resize(f.insts.size());
  find_member_stores(f.body);
  find_local_updates();
  if (!traits.barriers || whole_block) find_byte_sums();
  if (!traits.barriers || whole_block) find_member_loads(f.body);  // what lies between two barriers is lowered apart
}

llvm::Value* Emitter::launch_field(unsigned index) {
  llvm::Type* t = index == Helpers ? static_cast<llvm::Type*>(b_.getPtrTy()) : b_.getInt64Ty();
  llvm::LoadInst* load = b_.CreateAlignedLoad(t, b_.CreatePtrAdd(launch_, b_.getInt64(index * 8)), llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_, {}));
  return load;
}

void Emitter::start_function(const char* name, bool extent) {
  llvm::Type* p = b_.getPtrTy();
  llvm::FunctionType* type = extent ? llvm::FunctionType::get(b_.getInt64Ty(), {p, p}, false)
                                    : llvm::FunctionType::get(b_.getVoidTy(), {p, p, p, p}, false);
  function_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, m_);
  set_machine(*function_);
  for (unsigned i = 0; i < function_->arg_size(); ++i) function_->addParamAttr(i, llvm::Attribute::NoAlias);
  args_ = function_->getArg(0), launch_ = function_->getArg(1);
  box_ = extent ? nullptr : function_->getArg(2);
  scratch_ = extent ? nullptr : function_->getArg(3);
  allocas_ = new_block("entry");
  start(new_block("arguments"));
}

/// Whose instructions the function may use.
void Emitter::set_machine(llvm::Function& function) const {
  CpuLevel level = shape_.machine.level;
  std::string width = level == CpuLevel::Avx512 ? "512" : level == CpuLevel::Avx2 ? "256" : "128";
  function.addFnAttr("prefer-vector-width", width);
  function.addFnAttr("min-legal-vector-width", width);
  function.addFnAttr("target-cpu", shape_.machine.cpu);
  function.addFnAttr("tune-cpu", shape_.machine.tune);
  if (!shape_.machine.features.empty()) function.addFnAttr("target-features", shape_.machine.features);
  function.addFnAttr("no-builtins");
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

void Emitter::load_helpers() {
  if (shape_.machine.fma) return;
  V table = launch_field(Helpers);
  for (unsigned h = 0; h < unsigned(CpuHelper::Count); ++h)
    helpers_[h] = b_.CreateAlignedLoad(b_.getPtrTy(), b_.CreatePtrAdd(table, b_.getInt64(h * 8)), llvm::Align(8));
}

void Emitter::load_arguments() {
  for (unsigned d = 0; d < 3; ++d) {
    launch_grid_[d] = launch_field(Grid + d);
    launch_block_[d] = f_.block[d] ? static_cast<V>(b_.getInt64(std::uint64_t(f_.block[d]))) : launch_field(BlockSize + d);
  }
  if (const ir::Brick& brick = f_.facts.brick; brick.x) {
    launch_block_[0] = b_.getInt64(brick.x);
    if (brick.whole && brick.z() > 1) launch_block_[1] = b_.getInt64(brick.y);
  }
  load_helpers();
  auto params = f_.params();
  for (unsigned i = 0; i < params.size(); ++i) {
    const ir::Type& type = f_.type_of(params[i]);
    if (type.space == ir::Space::Argument) {
      set_uniform(params[i], b_.CreatePtrAdd(args_, b_.getInt64(layout_.find(What::Bytes, i))));
      continue;
    }
    V at = b_.CreatePtrAdd(args_, b_.getInt64(layout_.find(type.is_array() ? What::Address : What::Scalar, i)));
    Scalar s = type.scalar;
    llvm::Type* t = s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
    if (type.is_array()) t = b_.getPtrTy();
    llvm::LoadInst* load = b_.CreateAlignedLoad(t, at, llvm::Align(type.is_array() ? 8 : ir::size_of(s)));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_, {}));
    set_uniform(params[i], type.is_array() ? load : arith_.from_memory(load, s));
  }
  if (!scratch_) return;
  if (f_.facts.disjoint) {
    llvm::MDBuilder md(c_);
    scope_domain_ = md.createAnonymousAliasScopeDomain("views");
    for (ir::ValueId p : params)
      scopes_.push_back(f_.type_of(p).is_array() ? md.createAnonymousAliasScope(scope_domain_, "view") : nullptr);
  }
  place_arrays();
  find_copies();
}

/// Scratch memory: arrays of fixed size, then those sized at launch; the gangs' spilled values follow.
void Emitter::place_arrays() {
  constexpr std::uint64_t stack_limit = 16 << 10;
  array_offset_.assign(f_.values.size(), 0);
  shared_lengths_.assign(f_.values.size(), nullptr);
  std::uint64_t fixed = 0;
  ir::for_each_inst(f_, [&](ir::InstId i, ir::RegionId) {
    const ir::Inst& inst = f_.insts[i];
    if (inst.op != Op::Shared && inst.op != Op::Local) return;
    std::uint64_t bytes = f_.type_of(inst.results[0]).elem_bytes;
    for (std::int64_t extent : inst.list) bytes *= std::uint64_t(extent);
    if (inst.op == Op::Local) bytes *= shape_.gang();
    if (bytes > (1u << 30) || fixed > (1u << 30)) unsupported("shared or local arrays exceed 1 GiB");
    if (inst.op == Op::Shared && inst.list[0] == 0) return;
    if (inst.op == Op::Local && bytes <= stack_limit) {
      array_offset_[inst.results[0]] = on_stack;
    } else {
      array_offset_[inst.results[0]] = std::uint32_t(fixed);
      fixed += (bytes + 63) & ~std::uint64_t(63);
    }
  });
  functions_.envelope.fixed_shared = fixed;
  V dynamic = b_.CreatePtrAdd(scratch_, b_.getInt64(fixed));
  spills_ = b_.CreatePtrAdd(dynamic, launch_field(DynamicBytes));
  unsigned number = 0;
  for (ir::InstId i : ir::arrays_sized_at_launch(f_)) {
    const ir::Inst& inst = f_.insts[i];
    V slot = b_.CreatePtrAdd(args_, b_.getInt64(layout_.find(What::SharedLength, number++)));
    llvm::LoadInst* length = b_.CreateAlignedLoad(b_.getInt64Ty(), slot, llvm::Align(8));
    length->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(c_, {}));
    shared_lengths_[inst.results[0]] = length;
    set_uniform(inst.results[0], dynamic);
    V bytes = b_.CreateMul(length, b_.getInt64(std::uint64_t(ir::row_bytes(f_, inst))));
    V padded = b_.CreateAnd(b_.CreateAdd(bytes, b_.getInt64(ir::shared_alignment - 1)), b_.getInt64(-ir::shared_alignment));
    dynamic = b_.CreatePtrAdd(dynamic, padded);
  }
  ir::for_each_inst(f_, [&](ir::InstId i, ir::RegionId) {
    const ir::Inst& inst = f_.insts[i];
    if (inst.op == Op::Shared && inst.list[0] != 0)
      set_uniform(inst.results[0], b_.CreatePtrAdd(scratch_, b_.getInt64(array_offset_[inst.results[0]])));
  });
}

/// for (i = from; i < to; i += step) body(i)
void Emitter::count_loop(V from, V to, V step, const llvm::Twine& name, llvm::function_ref<void(V)> body) {
  Block before = b_.GetInsertBlock(), head = new_block("head"), inside = new_block("inside"), after = new_block("after");
  b_.CreateBr(head);
  start(head);
  llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2, name);
  i->addIncoming(from, before);
  b_.CreateCondBr(b_.CreateICmpSLT(i, to), inside, after);
  start(inside);
  body(i);
  i->addIncoming(b_.CreateAdd(i, step), b_.GetInsertBlock());
  b_.CreateBr(head);
  start(after);
}

llvm::Value* Emitter::lane_mask(unsigned p, V remaining) {
  return b_.CreateICmpSLT(lane_numbers(b_.getInt32Ty(), 1, p * shape_.lanes), splat(b_.CreateTrunc(remaining, b_.getInt32Ty())));
}

/// Gangs over [begin, end): whole ones without a mask and the rest under one, or all under a mask.
void Emitter::emit_gangs(V begin, V end, bool split, llvm::function_ref<void(V)> place) {
  emit_gangs(begin, end, split, place, [&](V) { emit_gang({}); });
}
/// `whole` lowers a whole gang, from a place on.
void Emitter::emit_gangs(V begin, V end, bool split, llvm::function_ref<void(V)> place, llvm::function_ref<void(V)> whole) {
  V gang = b_.getInt64(shape_.gang());
  auto masked = [&](V x) {
    place(x);
    V remaining = arith_.min_max(true, Scalar::I64, b_.CreateSub(end, x), gang);
    Mask mask;
    for (unsigned p = 0; p < shape_.parts; ++p) mask.parts.push_back(lane_mask(p, remaining));
    emit_gang(mask);
  };
  if (shape_.gang() == 1) {
    count_loop(begin, end, gang, "x", [&](V x) { place(x), emit_gang({}); });
    return;
  }
  if (!split) {
    count_loop(begin, end, gang, "x", masked);
    return;
  }
  V whole_end = b_.CreateSub(end, b_.getInt64(shape_.gang() - 1));
  V rest = begin;
  {
    Block before = b_.GetInsertBlock(), head = new_block("head"), inside = new_block("inside"), after = new_block("after");
    b_.CreateBr(head);
    start(head);
    llvm::PHINode* x = b_.CreatePHI(b_.getInt64Ty(), 2, "x");
    x->addIncoming(begin, before);
    b_.CreateCondBr(b_.CreateICmpSLT(x, whole_end), inside, after);
    start(inside);
    place(x);
    whole(x);
    x->addIncoming(b_.CreateAdd(x, gang), b_.GetInsertBlock());
    b_.CreateBr(head);
    start(after);
    rest = x;
  }
  Block tail = new_block("tail"), done = new_block("done");
  b_.CreateCondBr(b_.CreateICmpSLT(rest, end), tail, done);
  start(tail);
  masked(rest);
  b_.CreateBr(done);
  start(done);
}

void Emitter::emit_gang(const Mask& mask) {
  active_ = mask;
  some_ = true, tail_ = false;
  parted_ = nullptr, one_lane_ = false;
  gang_end_ = new_block("gang_end");
  if (segment_) emit_segment_gang();
  else emit_region(shape_.layout == Layout::Range ? f_.insts[traits_.stride_loop].regions[0] : f_.body);
  if (open_) branch_to(gang_end_);
  start(gang_end_);
}

llvm::Value* Emitter::box_field(unsigned index) {
  return b_.CreateAlignedLoad(b_.getInt64Ty(), b_.CreatePtrAdd(box_, b_.getInt64(index * 8)), llvm::Align(8));
}

/// A costly body is lowered once where a mask costs little: with AVX-512. Atomic operations go lane by lane, which takes a loop over the
/// lanes under a mask.
bool Emitter::splits() const {
  if (shape_.machine.quick) return false;
  return shape_.machine.level != CpuLevel::Avx512 || traits_.cost <= tuning::cpu::split_limit || traits_.atomics;
}

void Emitter::emit_grid() {
  V begin = box_field(0), end = box_field(1);
  bool split = splits();
  if (shape_.layout == Layout::Range) {
    const ir::Inst& loop = f_.insts[traits_.stride_loop];
    for (ir::InstId id : f_.regions[f_.body].insts) {
      if (id == traits_.stride_loop) break;
      emit_inst(id);
    }
    ir::ValueId index = f_.regions[loop.regions[0]].params[0];
    const auto place = [&](V x) { set(index, {Lowered::Form::Linear, {x}, 1}); };
    if (const auto arrays = rest_arrays(); !arrays.empty()) emit_gangs_and_copies(begin, end, arrays, place);
    else if (auto plane = find_plane(); plane && split) {
      const V plain = plain_rows(*plane);
      emit_gangs(begin, end, split, place, [&](V x) { emit_in_plane(*plane, plain, x); });
    } else emit_gangs(begin, end, split, place);
    return;
  }
  V height = b_.CreateMul(launch_grid_[1], launch_block_[1]);
  count_loop(box_field(2), box_field(3), b_.getInt64(1), "row", [&](V row) {
    at_.y = row, at_.z = b_.getInt64(0);
    if (traits_.uses_y_or_z) at_.y = b_.CreateURem(row, height), at_.z = b_.CreateUDiv(row, height);
    emit_gangs(begin, end, split, [&](V x) { at_.x = x; });
  });
}

void Emitter::emit_extent() {
  start_function("extent", true);
  load_arguments();
  for (ir::InstId id : f_.regions[f_.body].insts) {
    if (id == traits_.stride_loop) break;
    emit_inst(id);
  }
  b_.CreateRet(scalar(f_.insts[traits_.stride_loop].operands[0]));
  Block first = allocas_->getNextNode();
  b_.SetInsertPoint(allocas_);
  b_.CreateBr(first);
}

void Emitter::emit() {
  own_.mode = shape_.layout == Layout::Range ? CpuMode::Range : shape_.layout == Layout::Grid ? CpuMode::Grid : CpuMode::Block;
  if (shape_.layout == Layout::Range) {
    d_ = find_divergence(f_, functions_.calls, shape_, traits_.stride_loop);
    emit_extent();
  }
  start_function("entry", false);
  if (wants_lines_) lines_.emplace(m_, *function_, f_, DebugLines::Kind::LineTablesOnly);
  load_arguments();
  streams_ = shape_.lone && ir::any_inst(f_, [](const ir::Inst& i) { return i.streaming && i.op == Op::Store; });
  if (is_block(shape_.layout)) {
    emit_blocks();
  } else {
    d_ = find_divergence(f_, functions_.calls, shape_, traits_.stride_loop);
    emit_grid();
  }
  finish_streams();
  b_.SetCurrentDebugLocation({});
  b_.CreateRetVoid();
  Block first = allocas_->getNextNode();
  b_.SetInsertPoint(allocas_);
  b_.CreateBr(first);
  if (lines_) lines_->finish();
}

}  // namespace krait::codegen::cpu
