// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/launch/arguments.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include "codegen/cpu/control/fissioned.h"
#include "codegen/cpu/lanes/positions.h"
#include "codegen/reply.h"
#include "ir/shared_lengths.h"
#include "ir/walk.h"
#include "support/tuning/cpu.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;
using What = ir::ArgumentSlot::What;

Arguments::Arguments(const Common& common, Positions& positions)
    : Part(common), positions_(positions), layout_(code_.functions.envelope.arguments) {}

void Arguments::begin(bool extent) {
  const auto parameter = [&](unsigned i) { return code_.function->getArg(i); };
  args_ = parameter(0), launch = parameter(1);
  box_ = extent ? nullptr : parameter(2), scratch_ = extent ? nullptr : parameter(3);
}
void Arguments::begin_called(V launch_of_caller) {
  launch = launch_of_caller;
  array_offset_.assign(f_.values.size(), on_stack);
  load_helpers();
}

V Arguments::launch_field(unsigned index) {
  llvm::Type* t = index == Helpers ? static_cast<llvm::Type*>(b_.getPtrTy()) : b_.getInt64Ty();
  llvm::LoadInst* load =
      b_.CreateAlignedLoad(t, b_.CreatePtrAdd(launch, b_.getInt64(index * 8)), llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(code_.c, {}));
  return load;
}

V Arguments::box_field(unsigned index) {
  return b_.CreateAlignedLoad(b_.getInt64Ty(), b_.CreatePtrAdd(box_, b_.getInt64(index * 8)),
                              llvm::Align(8));
}

void Arguments::load_helpers() {
  const bool tiles = ir::any_inst(f_, [](const ir::Inst& i) { return i.op == Op::WordProduct; });
  if (shape_.machine.fma && !code_.traits.grid_barriers && !code_.traits.polls && !tiles) return;
  V table = launch_field(Helpers);
  for (unsigned h = 0; h < unsigned(CpuHelper::Count); ++h)
    code_.helpers[h] = b_.CreateAlignedLoad(
        b_.getPtrTy(), b_.CreatePtrAdd(table, b_.getInt64(h * 8)), llvm::Align(8));
}

void Arguments::load_arguments() {
  for (unsigned d = 0; d < 3; ++d) {
    positions_.grid[d] = launch_field(Grid + d);
    positions_.block[d] = f_.block[d] ? static_cast<V>(b_.getInt64(std::uint64_t(f_.block[d])))
                                      : launch_field(BlockSize + d);
  }
  if (f_.facts.one_row) positions_.block[1] = positions_.block[2] = b_.getInt64(1);
  if (const ir::Brick& brick = f_.facts.brick; brick.x) {
    positions_.block[0] = b_.getInt64(brick.x);
    if (brick.whole && brick.z() > 1) positions_.block[1] = b_.getInt64(brick.y);
  }
  load_helpers();
  auto params = f_.params();
  for (unsigned i = 0; i < params.size(); ++i) {
    const ir::Type& type = f_.type_of(params[i]);
    if (type.space == ir::Space::Argument) {
      values_.set_uniform(params[i],
                          b_.CreatePtrAdd(args_, b_.getInt64(layout_.find(What::Bytes, i))));
      continue;
    }
    V at = b_.CreatePtrAdd(
        args_, b_.getInt64(layout_.find(type.is_array() ? What::Address : What::Scalar, i)));
    Scalar s = type.scalar;
    llvm::Type* t = s == Scalar::Bool ? b_.getInt8Ty() : arith_.scalar_type(s);
    if (type.is_array()) t = b_.getPtrTy();
    llvm::LoadInst* load =
        b_.CreateAlignedLoad(t, at, llvm::Align(type.is_array() ? 8 : ir::size_of(s)));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(code_.c, {}));
    values_.set_uniform(params[i], type.is_array() ? load : arith_.from_memory(load, s));
  }
  if (!scratch_) return;
  if (f_.facts.disjoint) {
    llvm::MDBuilder md(code_.c);
    llvm::MDNode* const domain = md.createAnonymousAliasScopeDomain("views");
    for (ir::ValueId p : params)
      scopes.push_back(f_.type_of(p).is_array() ? md.createAnonymousAliasScope(domain, "view")
                                                : nullptr);
  }
  place_arrays();
  find_copies();
}

/// Scratch memory: arrays of fixed size, then those sized at launch; the gangs' spilled values
/// follow.
void Arguments::place_arrays() {
  array_offset_.assign(f_.values.size(), 0);
  shared_lengths_.assign(f_.values.size(), nullptr);
  std::uint64_t fixed = 0;
  // Small own arrays go on the stack, where LLVM sees all their uses; the rest gets offsets in
  // scratch.
  ir::for_each_inst(f_, [&](ir::InstId i, ir::RegionId) {
    const ir::Inst& inst = f_.insts[i];
    if (inst.op != Op::Shared && inst.op != Op::Local) return;
    std::uint64_t bytes = f_.type_of(inst.results[0]).elem_bytes;
    for (std::int64_t extent : inst.list) bytes *= std::uint64_t(extent);
    if (inst.op == Op::Local) bytes *= shape_.gang();
    if (bytes > (1u << 30) || fixed > (1u << 30))
      unsupported("shared or local arrays exceed 1 GiB");
    if (inst.op == Op::Shared && inst.list[0] == 0) return;
    if (inst.op == Op::Local && bytes <= tuning::cpu::stack_limit) {
      array_offset_[inst.results[0]] = on_stack;
    } else {
      array_offset_[inst.results[0]] = std::uint32_t(fixed);
      fixed += (bytes + 63) & ~std::uint64_t(63);
    }
  });
  code_.functions.envelope.fixed_shared = fixed;
  V dynamic = b_.CreatePtrAdd(scratch_, b_.getInt64(fixed));
  spills = b_.CreatePtrAdd(dynamic, launch_field(DynamicBytes));
  // Lengths come with the arguments: each array begins where the one before it ends.
  unsigned number = 0;
  for (ir::InstId i : ir::arrays_sized_at_launch(f_)) {
    const ir::Inst& inst = f_.insts[i];
    V slot = b_.CreatePtrAdd(args_, b_.getInt64(layout_.find(What::SharedLength, number++)));
    llvm::LoadInst* length = b_.CreateAlignedLoad(b_.getInt64Ty(), slot, llvm::Align(8));
    length->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(code_.c, {}));
    shared_lengths_[inst.results[0]] = length;
    values_.set_uniform(inst.results[0], dynamic);
    V bytes = b_.CreateMul(length, b_.getInt64(std::uint64_t(ir::row_bytes(f_, inst))));
    V padded = b_.CreateAnd(b_.CreateAdd(bytes, b_.getInt64(ir::shared_alignment - 1)),
                            b_.getInt64(-ir::shared_alignment));
    dynamic = b_.CreatePtrAdd(dynamic, padded);
  }
  ir::for_each_inst(f_, [&](ir::InstId i, ir::RegionId) {
    const ir::Inst& inst = f_.insts[i];
    if (inst.op == Op::Shared && inst.list[0] != 0)
      values_.set_uniform(inst.results[0],
                          b_.CreatePtrAdd(scratch_, b_.getInt64(array_offset_[inst.results[0]])));
  });
}

/// An argument's extent or stride, from the argument block.
V Arguments::extent_of(ir::ValueId array, unsigned dim) {
  const ir::Type& type = f_.type_of(array);
  if (f_.called && type.space == ir::Space::Global) return views.at(array).extents[dim];
  if (type.space != ir::Space::Global) {
    const ir::Inst* def = f_.def(array);
    return def->list[dim] ? b_.getInt64(std::uint64_t(def->list[dim])) : shared_lengths_[array];
  }
  unsigned param = 0;
  while (f_.params()[param] != array) ++param;
  V at = b_.CreatePtrAdd(args_, b_.getInt64(layout_.find(What::Extent, param, dim)));
  llvm::Type* t = f_.facts.small ? b_.getInt32Ty() : b_.getInt64Ty();
  llvm::LoadInst* load = b_.CreateAlignedLoad(t, at, llvm::Align(f_.facts.small ? 4 : 8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(code_.c, {}));
  return b_.CreateZExt(load, b_.getInt64Ty());
}

V Arguments::stride_of(ir::ValueId array, unsigned dim) {
  const ir::Type& type = f_.type_of(array);
  if (f_.called && type.space == ir::Space::Global && !f_.facts.contiguous)
    return views.at(array).strides[dim];
  if (type.space == ir::Space::Global && !f_.facts.contiguous) {
    unsigned param = 0;
    while (f_.params()[param] != array) ++param;
    V at = b_.CreatePtrAdd(args_, b_.getInt64(layout_.find(What::Stride, param, dim)));
    llvm::LoadInst* load = b_.CreateAlignedLoad(b_.getInt64Ty(), at, llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(code_.c, {}));
    return load;
  }
  V stride = b_.getInt64(1);
  for (unsigned d = dim + 1; d < type.rank; ++d) stride = b_.CreateMul(stride, extent_of(array, d));
  return stride;
}

/// Shared arrays lie in the scratch memory of the block's worker, set by place_arrays. A thread's
/// own arrays are zeroed where they come to life, for all lanes: none but those that get here can
/// name them.
void Arguments::declare_array(const ir::Inst& inst) {
  if (inst.op == Op::Shared) return;
  std::uint64_t bytes = f_.type_of(inst.results[0]).elem_bytes;
  for (std::int64_t extent : inst.list) bytes *= std::uint64_t(extent);
  if (d_.varying(inst.results[0])) bytes *= shape_.gang();
  std::uint32_t offset = array_offset_[inst.results[0]];
  V memory = code_.cut ? code_.cut->local_in_scratch(inst.results[0]) : nullptr;
  if (memory) {
    // It lives on from one segment to the next.
  } else if (offset == on_stack) {
    memory = code_.room(llvm::ArrayType::get(b_.getInt8Ty(), bytes), "local", 64);
  } else {
    memory = b_.CreatePtrAdd(scratch_, b_.getInt64(offset));
  }
  values_.set_uniform(inst.results[0], memory);
  // In pieces: one large memset would become a call, and the code has nothing to call.
  constexpr std::uint64_t piece = 256;
  auto zero = [&](V at, std::uint64_t size) {
    b_.CreateMemSetInline(at, llvm::Align(64), b_.getInt8(0), b_.getInt64(size));
  };
  std::uint64_t whole = bytes / piece * piece;
  if (whole)
    code_.count_loop(b_.getInt64(0), b_.getInt64(std::int64_t(whole)),
                     b_.getInt64(std::int64_t(piece)), "zeroed",
                     [&](V i) { zero(b_.CreatePtrAdd(memory, i), piece); });
  if (bytes != whole)
    zero(b_.CreatePtrAdd(memory, b_.getInt64(std::int64_t(whole))), bytes - whole);
}

}  // namespace krait::codegen::cpu
